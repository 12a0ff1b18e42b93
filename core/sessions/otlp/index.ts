export {
  type NormalSpan,
  noSpanRules,
  parentStepIdOf,
  type ReadExport,
  type RejectionReason,
  type SpanRules,
  stepIdOf,
} from '../../content/span.ts'
export { exportAnswer } from './partial-success.ts'
export { readExport } from './read-export.ts'
