export { type CallerKind, kindsOf } from './callers.ts'
export type { Facade, Method } from './facade.ts'
export { faultsOfPart, part, queryOfPart } from './list.ts'
export {
  faultsOf,
  inputOf,
  listOf,
  object,
  openObject,
  recordOf,
  schemaOf,
  textInputOf,
} from './members.ts'
export type { AnyOperation } from './operation.ts'
export { count } from './page.ts'
export {
  type AnyShape,
  anything,
  type InOf,
  type InsOf,
  type JsonSchema,
  just,
  line,
  type Members,
  type OutOf,
  type OutsOf,
  oneOf,
  pattern,
  type RowOf,
  type RowsOf,
  type Shape,
  text,
  time,
  whole,
} from './shape.ts'
export { isDescribed, optional, orNull, shownBy } from './wrap.ts'
