import { commit, turn } from '../disk.ts'
import { type Answer, type Message, type Steps, soundSteps } from '../steps.ts'
import { accepted, type BrokenReceiver, broken, orElse, withJoined } from './fault.ts'

const { authenticate, before, admit, answer, store } = soundSteps

export const acknowledgements: readonly BrokenReceiver[] = [
  broken('handles one request at a time', 'acknowledgement.burst', () => {
    let last = Promise.resolve()
    return {
      before(inbound, around) {
        const mine = last.then(() => turn(150))
        last = mine
        return mine.then(() => before(inbound, around))
      },
    }
  }),
  broken('acknowledges before it stores', 'acknowledgement.stored-first', () => ({
    acknowledge: 'before storing',
    async store(id, body, around) {
      await turn(25)
      return store(id, body, around)
    },
  })),
  broken('writes behind', 'acknowledgement.survives-kill', () => ({
    async store(id, body, around) {
      const { disk, memory } = around
      const isNew = await commit(around, () => !memory.has(id) && !disk.handled.has(id))
      memory.add(id)
      // The file gets it a moment later, unless the memory is gone by then.
      void turn(60).then(() => memory.has(id) && disk.events.set(id, body))
      return isNew
    },
  })),
  broken('swallows errors of its store', 'acknowledgement.store-failure', () => ({
    storeFailed: () => ({ status: 204 }),
  })),
  broken('works before it answers', 'acknowledgement.slow-handler', () => ({
    acknowledge: 'when handled',
  })),
]

export const challenges: readonly BrokenReceiver[] = [
  broken('answers a challenge with its own word', 'challenge.exact', () => ({
    answer: onChallenge(({ challenge }) => ({
      status: 200,
      body: { challenge: `${challenge}`.trim().toLowerCase() },
    })),
  })),
  broken('adds a member to the challenge', 'challenge.exact', () => ({
    answer: onChallenge(({ challenge }) => ({ status: 200, body: { challenge, ok: true } })),
  })),
  broken('answers a challenge too late', 'challenge.exact', () => ({
    answer: onChallenge(async ({ challenge }) => {
      await turn(2_000)
      return { status: 200, body: { challenge } }
    }),
  })),
  broken('answers challenges of anybody', 'challenge.forged', () => ({
    before(inbound, around) {
      const message = soundSteps.parse(inbound.body)
      if (message?.type === 'subscription.verification_requested')
        return { status: 200, body: { challenge: message.challenge } }
      return before(inbound, around)
    },
  })),
]

function onChallenge(change: (message: Message) => Answer | Promise<Answer>): Steps['answer'] {
  return (message, isNew, around) =>
    message.type === 'subscription.verification_requested'
      ? change(message)
      : answer(message, isNew, around)
}

const known =
  /^(review\.(case|continuation)\.(created|assignment_changed|follow_up_required|decided|cancelled|expired|overdue|acknowledged|delivery_failed)|subscription\.verification_requested|alert\.triggered)$/
const members = new Set(
  'id type schemaVersion time tenantId applicationId sessionId reviewCaseId caseVersion eventSequence decision reviewTier dueAt expiresAt reasonCategory presentationDigest caseUrl subscriptionId challenge timestamp data'.split(
    ' ',
  ),
)

export const strict: readonly BrokenReceiver[] = [
  broken('refuses types that it does not know', 'forward.accepts', () => ({
    admit: (message, proof, around) =>
      known.test(message.type) ? admit(message, proof, around) : { status: 422 },
  })),
  broken('refuses members that it does not know', 'forward.accepts', () => ({
    admit: (message, proof, around) =>
      Object.keys(message).every((name) => members.has(name))
        ? admit(message, proof, around)
        : { status: 422 },
  })),
  broken('demands that every signature is valid', 'rotation.unknown-key', () => ({
    authenticate: (inbound, around) =>
      (inbound.joined['webhook-signature'] ?? 'none')
        .split(' ')
        .every(
          (entry) =>
            entry === 'none' ||
            authenticate(
              { ...inbound, ...withJoined(inbound, { 'webhook-signature': entry }) },
              around,
            ).ok,
        )
        ? authenticate(inbound, around)
        : { ok: false },
  })),
  broken('holds one key only', 'rotation.every-key', () => ({
    authenticate: (inbound, around) =>
      authenticate(inbound, { ...around, keys: around.keys.slice(0, 1) }),
  })),
]

export const manners: readonly BrokenReceiver[] = [
  broken('lets the verifier throw', 'hygiene.refusal-status', () => ({
    refused: () => ({ status: 500 }),
  })),
  broken('takes any method for a delivery', 'hygiene.method', () => ({ before: () => null })),
  broken('demands one spelling of the content type', 'hygiene.content-type', () => ({
    before: (inbound, around) =>
      inbound.joined['content-type'] === 'application/json'
        ? before(inbound, around)
        : { status: 415 },
  })),
  broken('does not verify what is large', 'hygiene.oversized', () => ({
    maxBodyBytes: 64 * 1_048_576,
    authenticate: orElse(({ body }) => body.length > 1_000_000),
  })),
  broken('reads one body at a time', 'hygiene.slow-body', () => ({ readsTogether: false })),
  broken('limits bodies to 16 KB', 'hygiene.large', () => ({ maxBodyBytes: 16_384 })),
  broken('trusts a connection that was genuine once', 'hygiene.keep-alive', () => {
    const trusted = new WeakSet()
    return {
      authenticate(inbound, around) {
        const proof = authenticate(inbound, around)
        if (proof.ok) trusted.add(inbound.connection)
        return trusted.has(inbound.connection) && !proof.ok ? accepted : proof
      },
    }
  }),
]
