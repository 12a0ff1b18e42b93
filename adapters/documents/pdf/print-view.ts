import type { EvidenceDocument, Printable } from '@countersign/core/evidence'
import { detailLimit } from './dossier-steps.ts'

/**
 * What of a document its printed form shows: it is copied to the thread that prints, and may be many times smaller. The
 * record under the seal, and the content of steps that are told in a line alone, are in the JSON.
 */
export function printView(printable: Printable): Printable {
  if (printable.kind !== 'evidence') return printable
  const { document } = printable
  const integrity = { ...document.integrity, leafInput: null }
  return {
    kind: 'evidence',
    document: { ...document, steps: document.steps.map(stepView), integrity },
  }
}

type Step = EvidenceDocument['steps'][number]

function stepView(step: Step, at: number): Step {
  return at < detailLimit ? step : { ...step, payload: null, scores: [], dataCategories: [] }
}
