import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  decide,
  decideReveal,
  isDone,
  type KeyRequestCommand,
  revealWithinMs,
} from '../../../keys/requests/machine.ts'
import {
  type KeyRequest,
  type KeyRequestStatus,
  keyRequestStatuses,
} from '../../../keys/requests/records.ts'
import { code, start, value } from './world.ts'

const submitted: KeyRequest = {
  tenantId: 'ten_1',
  requestId: 'req_1',
  action: 'issue-customer-key',
  applicationId: 'app_1',
  type: 'primary ingest',
  keyId: null,
  target: 'app_1',
  targetType: 'primary ingest',
  status: 'submitted',
  open: 1,
  endedAt: null,
  requestedBy: 'member:mem_1',
  requestedAt: start,
  reason: 'a new backend',
  executedBy: null,
  executedAt: null,
  staffReason: null,
  issuedKeyId: null,
  revealUntil: null,
  revealedAt: null,
  rotatesTo: null,
  failure: null,
}
const commands: readonly KeyRequestCommand[] = [
  { act: 'approve', staffReason: null },
  { act: 'reject', staffReason: 'no' },
  { act: 'cancel' },
  { act: 'withdraw' },
  { act: 'execute', by: 'staff:ops', staffReason: null },
  { act: 'succeed', executed: { issuedKeyId: 'key_1' } },
  { act: 'fail', failure: { code: 'too_many_keys', detail: 'ten' } },
]
/** The transitions, written down a second time. */
const arrows: Readonly<Record<string, KeyRequestStatus>> = {
  'submitted approve': 'approved',
  'submitted reject': 'rejected',
  'submitted cancel': 'cancelled',
  'submitted withdraw': 'cancelled',
  'approved withdraw': 'cancelled',
  'failed withdraw': 'cancelled',
  'approved reject': 'rejected',
  'approved execute': 'executing',
  'executing succeed': 'executed',
  'executing fail': 'failed',
  'failed execute': 'executing',
}

describe('the machine of key requests', () => {
  for (const status of keyRequestStatuses)
    for (const command of commands)
      it(`${status}: ${command.act}`, () => {
        const decided = decide({ ...submitted, status }, command, start)
        const to = arrows[`${status} ${command.act}`]
        assert.equal(
          decided.ok ? decided.value.status : decided.refusal.code,
          to ?? 'invalid_transition',
        )
        if (!to) return
        // What had its effect is not done again.
        const after = value(decided)
        assert.equal(code(decide(after, command, start)), 'invalid_transition')
        const answersAgain = !['succeed', 'fail'].includes(command.act)
        assert.equal(isDone(after, command), answersAgain)
      })

  it('holds a request open until it ended, and shows a value only of one that was executed', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...commands), { maxLength: 12 }), (drawn) => {
        let request = submitted
        for (const command of drawn) {
          const decided = decide(request, command, start)
          request = decided.ok ? decided.value : request
          const ended = ['executed', 'failed', 'rejected', 'cancelled'].includes(request.status)
          assert.equal(request.open, ended ? 0 : 1)
          assert.equal(request.endedAt, ended ? start : null)
          assert.equal(request.failure !== null, request.status === 'failed')
          assert.equal(decideReveal(request, start).ok, request.status === 'executed')
        }
      }),
    )
  })

  it('shows a value once, for 24 hours from its execution', () => {
    const executed = [commands[0], commands[4], commands[5]].reduce<KeyRequest>(
      (request, command) => (command ? value(decide(request, command, start)) : request),
      submitted,
    )
    assert.equal(revealWithinMs, 24 * 3_600_000)
    const last = start + revealWithinMs - 1
    const shown = value(decideReveal(executed, last))
    assert.equal(shown.revealedAt, last)
    assert.equal(code(decideReveal(shown, last)), 'reveal_expired')
    assert.equal(code(decideReveal(executed, last + 1)), 'reveal_expired')
  })
})
