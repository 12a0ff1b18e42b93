export { type Application, applications } from './records.ts'
