"""Special functions of float64, as arithmetic that gives the same bits on every target.

double.py           arithmetic that is never contracted; polynomials
double_double.py    sums of two numbers; exp and log with more bits than float64
coefficients.py     the polynomials, written by test/python/compat/derive_coefficients.py
powers.py           pow, exp10, cbrt, rcbrt
angles.py           sinpi, cospi
error_functions.py  erfc, erfcx, normcdf and their inverses
gamma.py            tgamma, lgamma
bessel.py           Bessel functions of orders 0 and 1
orders.py           Bessel functions of any order
residuals.py        the signs of rounding errors, for directed rounding
"""
