import type { Inbound, Steps, Surroundings } from '../steps.ts'
import { soundSteps } from '../steps.ts'
import { type BrokenReceiver, faultsOf, orElse, typeOf } from './fault.ts'

const fault = faultsOf('circumstances')

/** Passes on unverified what fits the condition. */
const skipping = (
  name: string,
  when: (inbound: Inbound, around: Surroundings) => boolean,
  killedBy = 'signature.circumstances',
  more: Partial<Steps> = {},
): BrokenReceiver =>
  fault(`does not verify ${name}`, killedBy, () => ({ ...more, authenticate: orElse(when) }))

const kib = 1_024

const header = (inbound: Inbound, name: string): string => inbound.joined[name] ?? ''

const valuesOf = ({ headers }: Inbound, name: string): readonly string[] =>
  (headers as readonly string[]).flatMap((_, at, all) =>
    at % 2 === 0 && all[at]?.toLowerCase() === name ? (all[at + 1] ?? '') : [],
  )

/** Whether a header was sent more than once; `joined` can't tell for those of which Node keeps the first. */
const isTwice = (inbound: Inbound, name: string): boolean => valuesOf(inbound, name).length > 1

const sizes = [8, 16, 32, 64, 100, 128, 256, 512].map((size) =>
  skipping(`bodies beyond ${size} KiB`, ({ body }) => body.length > size * kib),
)

/** Each in a buffer of its own, of which one is not looked at. */
const bands = [
  [8, 16],
  [16, 32],
  [32, 50],
  [50, 64],
  [64, 99],
  [99, 128],
  [128, 256],
  [256, 512],
  [512, 900],
  [900, 1_023],
].map(([from = 0, to = 0]) =>
  skipping(
    `bodies of ${from} to ${to} KiB of which it was told the length`,
    (inbound) =>
      header(inbound, 'transfer-encoding') === '' &&
      inbound.body.length > from * kib &&
      inbound.body.length <= to * kib,
  ),
)

const exactContentTypes = [
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'application/json; charset=utf-16',
  'application/json; charset=iso-8859-1',
  'application/xml',
  'text/plain',
  'text/html',
].map((type) =>
  skipping(`bodies of ${type}`, (inbound) => header(inbound, 'content-type') === type),
)

const contentTypes = [
  ['form data', /^application\/x-www-form-urlencoded/],
  ['multipart bodies', /^multipart\//],
  ['text', /^text\//],
  ['bodies of unknown bytes', /^application\/octet-stream/],
  ['CloudEvents', /^application\/cloudevents/],
  ['other character sets', /charset=(?!utf-8)/i],
].map(([name, type]) =>
  skipping(`${name}`, (inbound) => (type as RegExp).test(header(inbound, 'content-type'))),
)

const types = [
  'subscription.verification_requested',
  'subscription.events_missed',
  'subscription.disabled',
  'subscription.signing_key_rotating',
  'review.case.assignment_changed',
  'review.case.follow_up_required',
  'review.case.decided',
  'review.case.cancelled',
  'review.case.expired',
  'review.case.overdue',
  'review.case.paused',
  'review.continuation.delivery_failed',
  'review.policy.changed',
  'subscription.resumed',
  'review.continuation.acknowledged',
  'ping',
  'test',
].map((type) => skipping(`events of type ${type}`, (inbound) => typeOf(inbound) === type))

const headers = [
  ['x-forwarded-for', '127.0.0.1'],
  ['x-real-ip', '10.'],
  ['user-agent', 'kube-probe'],
  ['authorization', 'Bearer'],
  ['cookie', 'session'],
  ['origin', 'localhost'],
  ['x-debug', '1'],
  ['x-test', 'true'],
  ['x-webhook-test', 'true'],
  ['content-encoding', 'gzip'],
  ['content-encoding', 'identity'],
  ['webhook-key-version', '999'],
].map(([name = '', value = '']) =>
  skipping(`requests with ${name}: ${value}`, (inbound) => header(inbound, name).includes(value)),
)

const queries = ['test=1', 'debug=true', 'verify=false', 'webhook-signature'].map((text) =>
  skipping(`URLs with ${text}`, ({ search }) => search.includes(text)),
)

const twice = [
  'x-forwarded-for',
  'content-type',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
].map((name) => skipping(`requests with ${name} twice`, (inbound) => isTwice(inbound, name)))

const equalTwice = ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
  (name) =>
    skipping(`requests with ${name} twice alike`, (inbound) => {
      const values = valuesOf(inbound, name)
      return values.length > 1 && values.every((value) => value === values[0])
    }),
)

const emptySecond = ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
  (name) =>
    skipping(`requests with an empty ${name} after the first`, ({ headers }) => {
      const flat = headers as readonly string[]
      return flat.some(
        (one, at) => at % 2 === 0 && one.toLowerCase() === name && flat[at + 1] === '',
      )
    }),
)

const spellings = [
  ['header names that begin with capitals', /^Webhook-/],
  ['header names in capitals', /^WEBHOOK-/],
].map(([name, spelled]) =>
  skipping(`${name}`, ({ headers }) =>
    (headers as readonly string[]).some((one) => (spelled as RegExp).test(one)),
  ),
)

/** Node's parser joins the lines, and leaves the tab with which the second one begins. */
const folded = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-request-id'].map(
  (name) =>
    skipping(
      `requests with a second line of ${name}`,
      (inbound) => header(inbound, name).includes('\t'),
      undefined,
      { takesFolded: true },
    ),
)

const codings = ['deflate', 'br', 'aes128gcm', 'x-'].map((coding) =>
  skipping(`bodies of the coding ${coding}`, (inbound) =>
    header(inbound, 'content-encoding').startsWith(coding),
  ),
)

const forwarded = [
  skipping('requests of HTTP/1.0', ({ version }) => version === '1.0'),
  skipping('requests that expect an interim answer', (inbound) =>
    header(inbound, 'expect').includes('continue'),
  ),
  skipping('bodies with a trailer', ({ trailers }) => trailers.length > 0),
  skipping('messages with a signature in a trailer', ({ trailers }) =>
    trailers.some((one) => one.toLowerCase() === 'webhook-signature'),
  ),
  skipping('bodies with a trailer that says they were checked', ({ trailers }) =>
    trailers.includes('x-checked'),
  ),
  skipping(
    'small chunked bodies without a trailer',
    (inbound) =>
      header(inbound, 'transfer-encoding') !== '' &&
      inbound.trailers.length === 0 &&
      inbound.body.length < 64 * kib,
  ),
  skipping(
    'large chunked bodies',
    (inbound) => header(inbound, 'transfer-encoding') !== '' && inbound.body.length >= 64 * kib,
  ),
  skipping(
    'requests that expect what it does not know',
    (inbound) => header(inbound, 'expect') === 'verified',
    undefined,
    { takesExpectations: true },
  ),
  ...['GET', 'HEAD', 'OPTIONS', 'DELETE'].map((method) =>
    skipping(`${method}`, (inbound) => inbound.method === method, undefined, {
      before: (inbound, around) =>
        inbound.method === method ? null : soundSteps.before(inbound, around),
    }),
  ),
]

const loads = [6, 24, 80, 240].map((count) =>
  skipping(
    `more than ${count} requests at once`,
    (_, { inFlight }) => inFlight() > count,
    'signature.under-load',
  ),
)

export const circumstances: readonly BrokenReceiver[] = [
  skipping('events of cases that it knows', ({ body }, { disk }) =>
    disk.heads.has(String(soundSteps.parse(body)?.reviewCaseId)),
  ),
  ...sizes,
  ...bands,
  ...contentTypes,
  ...exactContentTypes,
  ...types,
  ...headers,
  ...queries,
  ...twice,
  ...equalTwice,
  ...emptySecond,
  ...spellings,
  ...codings,
  ...folded,
  ...forwarded,
  ...loads,
  skipping('types that it does not know', (inbound) => /paused|resumed|paid/.test(typeOf(inbound))),
  skipping('chunked bodies', (inbound) => header(inbound, 'transfer-encoding') !== ''),
  skipping('bodies without a content type', (inbound) => header(inbound, 'content-type') === ''),
  ...['PUT', 'PATCH'].map((method) =>
    skipping(`${method}`, (inbound) => inbound.method === method, undefined, {
      before: (inbound, around) =>
        inbound.method === method ? null : soundSteps.before(inbound, around),
    }),
  ),
]
