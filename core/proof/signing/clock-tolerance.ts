/** By how much the clocks of the service and of who hears from it may differ, seconds. */
export const clockToleranceSeconds = 300
