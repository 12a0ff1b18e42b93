export { type CallerKind, kindsOf } from './callers.ts'
export type { Facade, Method } from './facade.ts'
export { faultsOfPart, queryOfPart } from './list.ts'
export { faultsOf, inputOf, schemaOf, textInputOf } from './members.ts'
export type { AnyOperation } from './operation.ts'
export type {
  AnyShape,
  InOf,
  InsOf,
  JsonSchema,
  Members,
  OutOf,
  OutsOf,
  RowOf,
  RowsOf,
  Shape,
} from './shape.ts'
export { isDescribed } from './wrap.ts'
