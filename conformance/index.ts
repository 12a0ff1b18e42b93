export { ConformanceError } from './assert.ts'
export type { RegisterTest, Supports } from './register.ts'
