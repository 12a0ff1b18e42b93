export { nativePrimitives } from './crypto.ts'
