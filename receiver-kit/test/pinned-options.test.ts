import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createManualClock } from '@countersign/core/testing'
import { memoryInbox } from '@countersign/receiver-kit'
import {
  createSignedOutcomeHandler,
  type PinnedReviewers,
  pinReviewers,
  type ReviewedTurn,
} from '@countersign/receiver-kit/reviewers'
import { createTestSigner } from '@countersign/receiver-kit/testing'
import { ada, pinned, received } from './received.ts'
import { asked, presentation } from './signed-outcomes.ts'
import { drain, misspelt, send, start } from './support.ts'

const { tenantId, applicationId, ...question } = asked
const { expected: _, ...rest } = pinned
const own = { tenantId, applicationId }
const ids = ['tenantId', 'applicationId', 'sessionId', 'checkpointId', 'reviewCaseId'] as const
const times = { receivedAt: start }
const synced = ada.send(ada.outcome(), { assertion: { flags: 5 | 8 } })
const genuine = ada.send(ada.outcome())

describe('options that pin keys', () => {
  it('hold where they are inherited', async () => {
    const options = Object.assign(Object.create({ refuseSynced: true }), rest, own)
    const fault = await pinReviewers(options).faultOf(synced, question, times)
    assert.match(fault?.detail ?? '', /^synced/)
  })

  it('may be those of a class', async () => {
    class Pins {
      readonly #keys = [ada.key]
      readonly rpId = pinned.rpId
      readonly origins = pinned.origins
      get tenantId() {
        return tenantId
      }
      get applicationId() {
        return applicationId
      }
      async keys(credentialId: string) {
        return this.#keys.find(({ kid }) => kid === credentialId) ?? null
      }
    }
    const { faultOf } = pinReviewers(new Pins())
    assert.equal(await faultOf(genuine, question, times), null)
  })

  it('are refused where they are misspelt, however they are held', () => {
    for (const [named, wrong] of misspelt({ ...rest, ...own }, 'refusesSynced'))
      assert.throws(
        () => pinReviewers(wrong as never),
        /^TypeError: expected reviewers of .*, got refusesSynced$/,
        named,
      )
  })
})

describe('options of a handler that pins keys', () => {
  it('may be those of a class, with getters and methods', async () => {
    const clock = createManualClock(start)
    const signer = createTestSigner({ now: clock.now })
    const approvals: boolean[] = []
    class Settings {
      readonly #turns = approvals
      readonly #problems: string[] = []
      get keys() {
        return [signer.key]
      }
      get applicationId() {
        return applicationId
      }
      readonly inbox = memoryInbox()
      get clock() {
        return clock
      }
      get reviewers() {
        return pinned
      }
      onOutcome(turn: ReviewedTurn) {
        this.#turns.push(turn.approved)
      }
      onProblem({ code }: { readonly code: string }) {
        this.#problems.push(code)
      }
      static problemsOf(settings: Settings) {
        return settings.#problems
      }
    }
    const settings = new Settings()
    const handler = createSignedOutcomeHandler(settings)
    const forged = { ...ada.outcome({ id: 'cb_forged' }), decisionSignature: null }
    for (const message of [genuine, forged]) await send(handler, signer.sign(message))
    await drain(handler, clock)
    assert.deepEqual([approvals, Settings.problemsOf(settings)], [[true, false], ['not_signed']])
  })

  it('are refused where they are misspelt', () => {
    const right = {
      keys: [createTestSigner().key],
      applicationId,
      inbox: memoryInbox(),
      reviewers: pinned,
      onOutcome: () => {},
    }
    const make = (more: object) => () => createSignedOutcomeHandler({ ...right, ...more })
    const ofReviewers = (more: object) => make({ reviewers: more })
    for (const [named, wrong] of misspelt({ ...right }, 'onproblem'))
      assert.throws(
        () => createSignedOutcomeHandler(wrong as typeof right),
        /^TypeError: expected options of .*, got onproblem$/,
        named,
      )
    for (const [named, wrong] of misspelt({ ...pinned }, 'whithin'))
      assert.throws(ofReviewers(wrong), /: expected reviewers of .*, got whithin$/, named)
    make({ onproblem: undefined })()
    ofReviewers({ ...pinned, whithin: undefined })()
  })
})

describe('what was asked', () => {
  it('may be a record of a class', async () => {
    class Row {
      get sessionId() {
        return asked.sessionId
      }
      get checkpointId() {
        return asked.checkpointId
      }
      get resumeToken() {
        return asked.resumeToken
      }
      get presentation() {
        return presentation
      }
    }
    const reviewers = { ...rest, ...own, keys: async () => ada.key }
    const fault = await pinReviewers(reviewers).faultOf(genuine, new Row(), times)
    assert.equal(fault, null)
  })

  it('counts as it was when the check began', async () => {
    const other = { checkpointId: 'step_other', presentation: { action: 'pay', amount: '1 EUR' } }
    for (const [filled, then, approved] of [
      [{ ...asked }, other, true],
      [{ ...asked, presentation: other.presentation }, asked, false],
    ] as const) {
      const reviewers: Partial<PinnedReviewers> = {
        expected: async () => filled,
        keys: async () => {
          Object.assign(filled, then)
          return ada.key
        },
      }
      const { turn } = await received(genuine, reviewers)
      assert.equal(turn?.approved, approved)
    }
  })

  it('has no case of a version that is no number, and no try is thrown', async () => {
    let deep: unknown = 1
    for (let level = 0; level < 5_000; level++) deep = [deep]
    const { faultOf } = pinReviewers({ ...rest, ...own })
    for (const version of [
      Object.create(null),
      { toString: 1 },
      10n,
      deep,
      '2',
      Number.NaN,
      null,
    ]) {
      const told = { ...genuine, caseVersion: version as number }
      const fault = await faultOf(told, question, times)
      assert.equal(fault?.code, 'not_signed')
    }
  })

  it('is sought by no text that a client never sends, and the application is given none', async () => {
    const unsought = async () => assert.fail('it was sought')
    const lines = ['a\u0000', 'a\nb', 'a\u0085', '\ud800', 'a'.repeat(201)]
    const texts = ['a\u0000', '\ud800', 'a'.repeat(4_097)]
    const odd = [
      ...ids.map((name) => [name, lines] as const),
      ...(['resumeToken', 'presentationDigest', 'caseUrl'] as const).map(
        (name) => [name, texts] as const,
      ),
      // `Date.parse` skips what is in brackets.
      ['time', ['Mar 1 2026 (\u0000)']] as const,
    ]
    for (const [name, values] of odd)
      for (const value of values)
        for (const decision of ['approved', 'rejected', 'expired', 'cancelled'] as const) {
          const sent = ada.send(ada.outcome({ decision }), { outcome: { [name]: value } })
          const reviewers = { expected: unsought, within: unsought, keys: unsought }
          const { status, drained, turn, problem } = await received(sent, reviewers)
          assert.deepEqual([status, drained], [204, { handled: 1, failed: 0 }], name)
          assert.deepEqual([turn, problem?.code], [undefined, 'malformed_text'])
          assert.match(problem?.detail ?? '', new RegExp(`^expected ${name} as `))
        }
    const longest = { sessionId: '\u{1f600}'.repeat(200), resumeToken: 'a\n'.repeat(2_048) }
    const { turn } = await received(ada.send(ada.outcome(longest)), {
      expected: async () => ({ ...asked, ...longest }),
    })
    assert.equal(turn?.approved, true)
  })

  it('is compared member by member, and nothing else stands for a comparison', async () => {
    for (const name of [
      'tenantId',
      'applicationId',
      'sessionId',
      'checkpointId',
      'resumeToken',
    ] as const) {
      // Whoever has the service shows the reviewer the other one: body and statement say the same, and the signature holds.
      const forged = ada.send(ada.outcome({ [name]: 'other' }))
      const refused = await received(forged)
      assert.deepEqual([refused.turn?.approved, refused.turn?.problem], [false, 'not_signed'])
      assert.match(refused.problem?.detail ?? '', new RegExp(`^asked: .*${name}`))
      // As a kit that does not compare it: what was asked is whatever the body says.
      const mutant = await received(forged, {
        expected: async (outcome) => ({ ...asked, [name]: outcome[name] }),
      })
      assert.equal(mutant.turn?.approved, true, name)
    }
  })

  it('has a checkpoint that no redaction policy changes', async () => {
    const changed = ada.send(ada.outcome({ checkpointId: 'send_mail:[email]' }))
    const at = { ...asked, checkpointId: 'send_mail:ada@example.com' }
    for (const expected of [async () => at, async () => null]) {
      const { turn, problem } = await received(changed, { expected })
      assert.equal(turn?.problem, 'not_signed')
      assert.match(problem?.detail ?? '', /redaction policy .* ids that hold nothing/)
    }
    const told = { ...changed, checkpointId: at.checkpointId }
    const { checkpointId } = at
    const requested = { ...question, checkpointId }
    const fault = await pinReviewers({ ...rest, ...own }).faultOf(told, requested, times)
    assert.match(fault?.detail ?? '', /^expected: .*checkpointId; a redaction policy/)
  })
})
