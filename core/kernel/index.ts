export { faultsOf, inputOf, schemaOf, textInputOf } from './members.ts'
export type { AnyOperation, Facade, Method } from './operation.ts'
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
