// Passes that print the result of an analysis, for tests.

#ifndef TILEWRIGHT_BIN_TILEWRIGHT_OPT_TESTPASSES_H
#define TILEWRIGHT_BIN_TILEWRIGHT_OPT_TESTPASSES_H

namespace tilewright {
void registerTestAxisInfo();
void registerTestPlan();
void registerTestPointerRoots();
void registerTestVerifyLayouts();
} // namespace tilewright

#endif // TILEWRIGHT_BIN_TILEWRIGHT_OPT_TESTPASSES_H
