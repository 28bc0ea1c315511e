find_package(GTest REQUIRED)
