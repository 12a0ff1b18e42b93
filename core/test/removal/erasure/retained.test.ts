import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { collections } from '@countersign/core'
import type { Collection } from '@countersign/core/ports'
import { auditLog } from '../../../kernel/ledger/audit.ts'
import { retained } from '../../../removal/erasure/certificate.ts'
import { erasureRequests } from '../../../removal/erasure/records.ts'
import { worldOf } from './shown.ts'

const all = collections as readonly unknown[] as readonly Collection[]

/** What a certificate calls the rows of collections that still name a session or a person. */
const names: Readonly<Record<string, RegExp>> = {
  batches: /^lists of the leaves under each Merkle root: ids of sessions/,
  seals: /^Merkle roots and anchors/,
  sessions: /^structure of sessions and steps/,
  steps: /^structure of sessions and steps/,
  traces: /^structure of sessions and steps/,
  erasedSubjects: /^structure of sessions and steps without content: ids, pseudonyms/,
  reviewCases: /^review cases without texts/,
  sessionAnnotations: /^annotations, flags and session reviews without texts/,
  sessionFlags: /^annotations, flags and session reviews without texts/,
  sessionReviews: /^annotations, flags and session reviews without texts/,
  erasureRequests: /^the erasure request, legal holds and the audit log/,
  messages: /^events that were sent or are still being sent/,
}

describe('the certificate of an erasure', () => {
  it('names every kind of row that still names a session or the person', async () => {
    const w = await worldOf({
      ...{ seed: 1, late: 1, submissions: true, openCases: 2, closedCases: 1, namingCases: 3 },
      ...{ marks: true, packages: true, callback: false },
    })
    await w.service.webhooks.create(w.admin, { url: 'https://hook.example/', eventTypes: ['*'] })
    await w.rest()
    const [request] = w.store.rows(erasureRequests)
    assert.deepEqual(request?.row.certificate?.retained, retained)
    const ids = ['"own"', '"late-0"', '"whole"', request?.row.dataSubjectId ?? '']
    const text = (row: object) =>
      JSON.stringify(row, (_, value) =>
        value instanceof Uint8Array ? Buffer.from(value).toString() : value,
      ).replaceAll('\\"', '"')
    const kept = all.flatMap((each) =>
      w.store.rows(each).some(({ row }) => ids.some((id) => text(row).includes(id)))
        ? each.name
        : [],
    )
    assert.deepEqual(
      kept.filter((name) => !(name in names)),
      [],
      'not in the certificate',
    )
    for (const name of kept)
      if (name in names)
        assert.ok(
          retained.some((line) => names[name]?.test(line)),
          name,
        )
    assert.ok(kept.includes('batches'))
    assert.ok((w.store.entries(auditLog).get(w.tenantId) ?? []).length > 0)
  })
})
