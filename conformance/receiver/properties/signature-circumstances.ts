import { bytesOf, reviewEvent, type Signed, unixNow } from '../messages.ts'
import { type Property, property } from '../property.ts'
import { allStored, eachOnce, fail, isSuccess, type Session } from '../session.ts'
import { eventOf, familiesOf, typeAt, typeOf } from '../types.ts'
import { type Circumstance, circumstances } from './circumstances.ts'

/** Messages that are not genuine. */
const forgeries = {
  'signed with another key': (session: Session, event: ReturnType<typeof eventOf>) =>
    session.sign(event, { keys: session.target.keys.strangers.slice(0, 1) }),
  'changed after signing': (session: Session, event: ReturnType<typeof eventOf>) => {
    const message = session.sign(event)
    return {
      ...message,
      body: bytesOf(JSON.stringify({ ...session.message(event), tenantId: 'ten_forged' })),
    }
  },
  'an hour old': (session: Session, event: ReturnType<typeof eventOf>) =>
    session.sign(event, { timestamp: String(unixNow() - 3600) }),
} as const

/**
 * Whether an answer of 2xx is judged: it says nothing where a router or a health page answers a request without headers
 * and body so too, and need not where the probe tells every effect.
 */
async function isAnswerTelling(session: Session, request: (message: Signed) => Signed) {
  if (session.target.has.has('effects')) return false
  const empty = { method: 'POST', headers: {}, body: new Uint8Array(), id: '', timestamp: '' }
  const bare = request({ ...empty, label: 'without headers and body' })
  const { status } = await session.post(bare, () => null)
  return status === null || !isSuccess(status)
}

/** Fails when a refused message left a trace by the time an event that came after it has its own. */
async function expectNoTraceNow(session: Session): Promise<void> {
  const { has } = session.target
  if (!has.has('stored')) return
  const sentinel = reviewEvent()
  await session.accept(session.sign(sentinel))
  const isThere = has.has('effects') ? eachOnce : allStored
  await session.settle({ ids: [sentinel.id] }, isThere([sentinel.id]))
  await session.expectNoTrace()
}

/** Tries these circumstances, each with every forgery of every family. */
export const circumstancesProperty = (each: readonly Circumstance[]): Property =>
  property<Circumstance & { readonly turn: number }>({
    name: 'signature.circumstances',
    share: 16,
    promise:
      'signature and time are checked whatever the type, the size, the headers or the encoding of a message',
    advice:
      'Verify in one place that every request passes, before anything looks at type, size, headers or query: no branch for tests, health checks or challenges. What can’t be read whole is refused, never passed on.',
    each: each.map((one, turn) => ({ ...one, turn })),
    async play(
      session,
      { name, turn, event: given = {}, request = (message) => message, ...more },
    ) {
      const first = reviewEvent()
      const { reviewCaseId } = first
      if (more.known) {
        await session.accept(session.sign(first))
        // A receiver may know a case only once it has acted on an event of it, which is after its answer.
        if (session.target.has.has('effects'))
          await session.settle({ ids: [first.id] }, eachOnce([first.id]))
      }
      const members = more.known ? { reviewCaseId, caseVersion: 2, eventSequence: 2 } : given
      const { types } = session.target
      const only = more.known ? first.type : given.type
      const tried = only ? [String(only)] : familiesOf(types).map((family) => typeOf(types, family))
      const isTelling = !more.routed || (await isAnswerTelling(session, request))
      for (const type of tried)
        for (const [kind, forge] of Object.entries(forgeries)) {
          const message = request(forge(session, eventOf(type, members)))
          const labelled = { ...message, label: `${message.label}, ${name}, ${kind}` }
          if (isTelling) await session.refuse(labelled, { cut: true })
          else {
            await session.post(labelled, () => null)
            session.ban(message.id)
          }
        }
      if (more.routed) await expectNoTraceNow(session)
      if (!more.accepted) return
      const genuine = request(session.sign(eventOf(typeAt(tried, turn), members)))
      await session.accept({ ...genuine, label: `${genuine.label}, ${name}` })
    },
  })

export const circumstance: Property = circumstancesProperty(circumstances)

/** Of so many that the families take turns among them. */
const isForged = (at: number): boolean => at % 5 === 4

export const underLoad: Property = property({
  name: 'signature.under-load',
  everyFamily: true,
  share: 3,
  promise: 'a forged message is refused however many deliveries are under way beside it',
  advice:
    'Never pass a message on unverified because verifying is busy: under load answer 503, and the sender comes again.',
  alone: true,
  quickCases: 2,
  each: [8, 30, 100, 300].map((count) => ({ count })),
  async play(session, { count }) {
    const keys = session.target.keys.strangers.slice(0, 1)
    const messages = Array.from({ length: count }, (_, at) =>
      isForged(at) ? session.sign(session.event(), { keys }) : session.sign(session.event()),
    )
    const forged = new Set(messages.filter((_, at) => isForged(at)))
    for (const { id } of forged) session.ban(id)
    session.tell(`${count} deliveries at once, every fifth of them forged`)
    await session.together(messages, async (message, { status }) => {
      if (status !== null && isSuccess(status) && forged.has(message))
        fail(`${message.label}, forged, among ${count} at once: expected a refusal, got ${status}`)
    })
    await session.accept(session.sign(session.event()))
  },
})
