import { atOnce, createSlices } from '../../base/json/in-slices.ts'
import type { Sealer } from '../../base/ports/secrets.ts'
import { cutText } from '../../base/text/text-rules.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { mapped, rowUnder } from '../../kernel/query.ts'
import type { CheckpointIds } from '../../review/deps.ts'
import { redactionPolicySets } from '../records.ts'
import type { MappedText } from './redact.ts'
import { redactorOf } from './redactor-of.ts'

/** Attributes that name a checkpoint. */
export const checkpointKeys = ['countersign.checkpoint.id'] as const

/**
 * A checkpoint's id as it is redacted, alike in spans of any type and in openings, which have none: both must meet at
 * one case.
 */
export function checkpointText(checkpointId: string): MappedText {
  return { text: checkpointId, keys: checkpointKeys, distinct: true, ofAnyType: true }
}

/** The checkpoint ids of openings, redacted as those of spans are. */
export function redactedCheckpoints({ sealer }: { readonly sealer: Sealer }): CheckpointIds {
  return ({ tenantId, applicationId }, checkpointId) =>
    mapped(rowUnder(redactionPolicySets, [tenantId, applicationId]), (set) => {
      const redactor = redactorOf(set?.row ?? null, sealer)
      const asked = [checkpointText(checkpointId)]
      const { texts } = atOnce(redactor.texts(null, asked, createSlices()))
      return cutText(texts[0] ?? '', longest.id)
    })
}
