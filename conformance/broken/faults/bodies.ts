import type { Answer, Message, Steps } from '../steps.ts'
import { soundSteps } from '../steps.ts'
import { type BrokenReceiver, faultsOf } from './fault.ts'

const fault = faultsOf('bodies and challenges')
const { admit, answer, authenticate, store } = soundSteps

const kib = 1_024
const large = 'hygiene.large'
const anySize = 'acknowledgement.any-size'

const sizes: readonly BrokenReceiver[] = [
  ...[4, 8, 16, 32, 48].map((size) =>
    fault(`drops bodies beyond ${size} KiB in silence`, large, () => ({
      store: async (id, body, around) =>
        body.length <= size * kib && (await store(id, body, around)),
    })),
  ),
  ...[64, 100, 128, 256, 512].map((size) =>
    fault(`drops bodies beyond ${size} KiB in silence`, anySize, () => ({
      store: async (id, body, around) =>
        body.length <= size * kib && (await store(id, body, around)),
    })),
  ),
  ...[8, 32].map((size) =>
    fault(`keeps the first ${size} KiB of a body`, large, () => ({
      store: (id, body, around) => store(id, body.subarray(0, size * kib), around),
    })),
  ),
  fault('keeps a body as Latin text', 'forward.text', () => ({
    store: (id, body, around) =>
      store(id, Buffer.from(Buffer.from(body).toString('utf8'), 'latin1'), around),
  })),
  ...[4, 32, 60].map((size) =>
    fault(`refuses bodies beyond ${size} KiB`, large, () => ({ maxBodyBytes: size * kib })),
  ),
]

/** Refuses or fails for what a body holds. */
const choking = (name: string, killedBy: string, text: RegExp, status: number): BrokenReceiver =>
  fault(name, killedBy, () => ({
    admit: (message, proof, around) =>
      text.test(JSON.stringify(message)) ? { status } : admit(message, proof, around),
  }))

const texts: readonly BrokenReceiver[] = [
  choking('fails on a NUL', 'forward.hostile-text', /\\u0000/, 500),
  choking('fails on half a surrogate pair', 'forward.hostile-text', /\\ud[89ab]/i, 500),
  choking('fails on numbers beyond 2^64', 'forward.hostile-text', /"note":1e\+40/, 500),
  choking('fails on deep nesting', 'forward.hostile-text', /\[{50}/, 500),
  choking('refuses characters of four bytes', 'forward.text', /[\u{10000}-\u{10ffff}]/u, 400),
  choking('refuses what is not Latin', 'forward.text', /[\u3000-\uffff]/, 422),
  choking('refuses markup', 'forward.text', /<script/, 403),
  choking('refuses what looks like SQL', 'forward.text', /DROP TABLE/, 403),
  choking('refuses line separators', 'forward.text', /[\u2028\u2029]/, 400),
  choking('refuses long members', 'forward.text', /(word ){900}/, 400),
]

const known =
  /^(review\.(case|continuation)\.(created|assignment_changed|follow_up_required|decided|cancelled|expired|overdue|acknowledged|delivery_failed)|subscription\.(verification_requested|disabled|signing_key_rotating|events_missed)|alert\.triggered)$/

/** Schemas that are stricter than a contract that will grow. */
const schemas: readonly (readonly [name: string, refuses: (message: Message) => boolean])[] = [
  ['reasons', ({ reasonCategory }) => /escalated|delegated/.test(String(reasonCategory))],
  ['decisions', ({ decision }) => /deferred|partially/.test(String(decision))],
  ['tiers', ({ reviewTier }) => reviewTier === 'critical'],
  ['schema versions', ({ schemaVersion }) => schemaVersion !== undefined && schemaVersion !== 1],
  ['review types', ({ type }) => type.startsWith('review.') && !known.test(type)],
  ['subscription types', ({ type }) => type.startsWith('subscription.') && !known.test(type)],
  ['families', ({ type }) => !/^(review|subscription|alert)\./.test(type)],
  ['objects', ({ links }) => typeof links === 'object'],
  ['lists', ({ labels }) => Array.isArray(labels)],
  ['members beyond thirty', (message) => Object.keys(message).length > 30],
]

const strict: readonly BrokenReceiver[] = schemas.flatMap(([name, refuses]) => [
  fault(`refuses ${name} that it does not know`, 'forward.accepts', () => ({
    admit: (message, proof, around) =>
      refuses(message) ? { status: 422 } : admit(message, proof, around),
  })),
  fault(`drops ${name} that it does not know`, 'forward.accepts', () => ({
    store: async (id, body, around) => {
      const message = soundSteps.parse(body)
      return message !== null && refuses(message) ? false : store(id, body, around)
    },
  })),
])

const onChallenge =
  (change: (challenge: string, message: Message) => Answer): Steps['answer'] =>
  (message, isNew, around) =>
    message.type === 'subscription.verification_requested'
      ? change(String(message.challenge), message)
      : answer(message, isNew, around)

const challenge = (
  name: string,
  change: (challenge: string, message: Message) => unknown,
): BrokenReceiver =>
  fault(`answers a challenge ${name}`, 'challenge.exact', () => ({
    answer: onChallenge((value, message) => ({
      status: 200,
      body: { challenge: change(value, message) },
    })),
  }))

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function typed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const challenges: readonly BrokenReceiver[] = [
  ...[64, 128, 255, 256, 512, 2_000].map((length) =>
    challenge(`cut to ${length} characters`, (value) => value.slice(0, length)),
  ),
  challenge('as the number that it looks like', (value) =>
    /^-?\d/.test(value) && !Number.isNaN(Number(value)) ? Number(value) : value,
  ),
  challenge('as the JSON that it looks like', typed),
  challenge('in lower case', (value) => value.toLowerCase()),
  challenge('in upper case', (value) => value.toUpperCase()),
  challenge('trimmed', (value) => value.trim()),
  challenge('in composed characters', (value) => value.normalize('NFC')),
  challenge('in ASCII', (value) => value.replaceAll(/[^\0-\x7f]/g, '?')),
  challenge('URL-decoded', decoded),
  challenge('with a space for each plus', (value) => value.replaceAll('+', ' ')),
  challenge('HTML-escaped', (value) => value.replaceAll(/[&<>]/g, (one) => entities[one] ?? one)),
  challenge('as JSON in JSON', (value) => JSON.stringify(value)),
  challenge('up to its first line feed', (value) => value.split('\n')[0]),
  challenge('without its quotes', (value) => value.replaceAll('"', '')),
  fault('answers the first challenge for ever', 'challenge.exact', () => {
    let first: string | null = null
    return {
      answer: onChallenge((value) => {
        first ??= value
        return { status: 200, body: { challenge: first } }
      }),
    }
  }),
  fault('answers with the challenge of before', 'challenge.exact', () => {
    let last = ''
    return {
      answer: onChallenge((value) => {
        const before = last || value
        last = value
        return { status: 200, body: { challenge: before } }
      }),
    }
  }),
  fault('answers a challenge as a page', 'challenge.as-json', () => ({
    answer: onChallenge((value) => ({
      status: 200,
      page: { type: 'text/html', text: JSON.stringify({ challenge: value }) },
    })),
  })),
  fault('answers a challenge as text', 'challenge.as-json', () => ({
    answer: onChallenge((value) => ({
      status: 200,
      page: { type: 'text/plain', text: JSON.stringify({ challenge: value }) },
    })),
  })),
  fault('answers a challenge without JSON', 'challenge.exact', () => ({
    answer: onChallenge((value) => ({ status: 200, page: { type: 'text/plain', text: value } })),
  })),
  fault('answers a copy of a challenge like any copy', 'challenge.again', () => ({
    answer: (message, isNew, around) => (isNew ? answer(message, isNew, around) : { status: 204 }),
  })),
  fault('answers each subscription event with a challenge', 'challenge.other-events', () => ({
    answer: (message, isNew, around) =>
      message.type.startsWith('subscription.') && message.challenge === null
        ? { status: 400 }
        : answer(message, isNew, around),
  })),
  fault('echoes the challenge of a forged request', 'challenge.forged', () => {
    let echoed: unknown = null
    return {
      authenticate(inbound, around) {
        echoed = soundSteps.parse(inbound.body)?.challenge
        return authenticate(inbound, around)
      },
      refused: () => ({ status: 401, body: { challenge: echoed ?? null } }),
    }
  }),
]

const statuses: readonly BrokenReceiver[] = [
  ...[500, 302].map((status) =>
    fault(`refuses with ${status}`, 'hygiene.refusal-status', () => ({
      refused: () => ({ status }),
    })),
  ),
  fault('refuses with 410', 'hygiene.never-gone', () => ({ refused: () => ({ status: 410 }) })),
  fault('refuses old messages with 410', 'hygiene.never-gone', () => {
    let isOld = false
    return {
      authenticate(inbound, around) {
        isOld = Number(inbound.joined['webhook-timestamp']) < around.now() / 1000 - 300
        return authenticate(inbound, around)
      },
      refused: () => ({ status: isOld ? 410 : 401 }),
    }
  }),
]

export const bodies: readonly BrokenReceiver[] = [
  ...sizes,
  ...texts,
  ...strict,
  ...challenges,
  ...statuses,
]
