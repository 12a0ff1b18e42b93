export {
  type Json,
  type NormalSpan,
  noSpanRules,
  parentStepIdOf,
  type ReadExport,
  type RejectionReason,
  rejectionReasons,
  type SpanPolicyResult,
  type SpanRules,
  type SpanScore,
  type StepType,
  stepIdOf,
  stepTypes,
} from '../../content/span.ts'
export type { Attributes } from './any-value.ts'
export { fitContent, jsonBytes } from './fit-content.ts'
export { type ExportAnswer, exportAnswer } from './partial-success.ts'
export { readExport } from './read-export.ts'
