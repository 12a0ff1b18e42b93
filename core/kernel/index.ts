export { type CallerKind, kindsOf } from './callers.ts'
export type { Facade, Method } from './facade.ts'
export { faultsOfPart, queryOfPart } from './list.ts'
export { faultsOf, inputOf, object, schemaOf, textInputOf } from './members.ts'
export type { AnyOperation } from './operation.ts'
export {
  type AnyShape,
  type InOf,
  type InsOf,
  type JsonSchema,
  line,
  type Members,
  type OutOf,
  type OutsOf,
  type RowOf,
  type RowsOf,
  type Shape,
} from './shape.ts'
export { isDescribed, optional } from './wrap.ts'
