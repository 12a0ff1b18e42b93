import {
  catalogue,
  type Envelope,
  type EventType,
  type Family,
  familyOf,
  outcomeType,
  sentOutcomeMembers,
  shapeOf,
} from '@countersign/core/events'
import { objectSchemaOf } from './event-schema.ts'
import { type EventWords, readEventWords } from './event-words.ts'
import type { Json } from './json-schema.ts'
import { sentence, type Wire } from './wire.ts'
import type { Words } from './words.ts'

/** Of the catalogue of events, which the interface names; it rises with what events are, not with the packages. */
const catalogueVersion = '1.0.0'
const httpBinding = '0.3.0'

interface Channel {
  readonly name: string
  readonly title: string
  readonly description: string
  /** The heading of its members in interface.md. */
  readonly heading: string
}

const channels: Readonly<Record<Envelope | 'outcome', Channel>> = {
  review: {
    name: 'reviewEvents',
    title: 'Review events',
    description:
      'What happened to a review case, to webhooks that select the type. Per `reviewCaseId`, keep the highest (`caseVersion`, then `eventSequence`). Nothing that an endpoint answers records a decision, and no event lets paused work go on.',
    heading: 'Review event',
  },
  subscription: {
    name: 'subscriptionEvents',
    title: 'Subscription events',
    description:
      'What happened to the webhook itself, to every webhook; they can not be turned off.',
    heading: 'Subscription event',
  },
  legacy: {
    name: 'legacyEvents',
    title: 'Alerts, sessions, privacy, quality and evidence',
    description: 'Events in the legacy envelope, to webhooks that select the type.',
    heading: 'Legacy event',
  },
  platform: {
    name: 'platformEvents',
    title: 'Session and platform events',
    description: 'Events in the platform envelope, to webhooks that select the type.',
    heading: 'Platform event',
  },
  outcome: {
    name: 'outcomeCallback',
    title: 'Outcome callback',
    description:
      'The one message that lets paused work go on, to the application that asked. Check `applicationId` before anything is resumed; only `approved` approves.',
    heading: 'Outcome body',
  },
}

/** Policies of the retry schedule (interface, Retry schedule). */
const policies: Readonly<Record<Envelope | 'outcome', string>> = {
  review: 'review',
  subscription: 'review',
  legacy: 'legacy',
  platform: 'legacy',
  outcome: 'callback',
}

function retriesOf(kind: Envelope | 'outcome', wire: Wire): string {
  const row = wire.rowsUnder('Retry schedule').find(([policy]) => policy === policies[kind])
  if (!row) throw new Error(`core/docs/interface.md has no retry policy ${policies[kind]}`)
  const [, waits, jitter = '', last] = row
  const chance = parseFloat(jitter) > 0 ? `, each up to ${jitter} longer by chance` : ''
  const end = last ? ` The last attempt is ${last}.` : ''
  return `After failures waits ${waits}${chance}.${end}`
}

/** The AsyncAPI 3.0 document of every message that is sent, made from the event catalogue. */
export function asyncApiOf(wire: Wire, written: Words): Json {
  const words = readEventWords(wire, written)
  const kinds = Object.keys(channels) as (keyof typeof channels)[]
  const byChannel = kinds.map((kind) => [kind, messagesOf(kind, words)] as const)
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Countersign, events',
      version: catalogueVersion,
      description: conventions,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      tags: kinds.map((kind) => ({ name: channels[kind].name, description: channels[kind].title })),
    },
    defaultContentType: 'application/json',
    channels: {
      ...Object.fromEntries(
        byChannel.map(([kind, messages]) => [channels[kind].name, channelObject(kind, messages)]),
      ),
      answers: answersChannel,
    },
    operations: Object.fromEntries(
      byChannel.map(([kind, messages]) => [
        `send.${channels[kind].name}`,
        operationObject(kind, messages, wire),
      ]),
    ),
    components: {
      messages: Object.fromEntries(byChannel.flatMap(([, messages]) => messages)),
      messageTraits: {
        standard: traitOf('standard', wire),
        legacy: traitOf('legacy', wire),
      },
    },
  }
}

const conventions = [
  'Each message is one POST of JSON to the https URL that the webhook or the application registered: at least once, in no promised order. Redirects are not followed.',
  'An answer of 2xx within 10 seconds is the receipt; anything else is a failure, and 410 stops everything to the URL.',
  'Every attempt of one message has the same `id` and the same bytes: store it under its `id`, then answer, and answer 2xx if it is stored already.',
  'Ignore members and types that you do not know.',
].join('\n\n')

type NamedMessage = readonly [name: string, message: Json]

function messagesOf(kind: Envelope | 'outcome', words: EventWords): readonly NamedMessage[] {
  const { heading } = channels[kind]
  const describe = (type: string) => (path: string) => words.meaningOf(heading, type, path)
  if (kind === 'outcome') {
    const payload = objectSchemaOf(sentOutcomeMembers, describe(outcomeType))
    const summary = 'A case ended decided, cancelled or expired.'
    return [[outcomeType, messageObject(outcomeType, 'standard', summary, payload)]]
  }
  const types = (Object.keys(catalogue) as EventType[]).filter(
    (type) => catalogue[type].envelope === kind,
  )
  return types.map((type) => {
    const members = { ...shapeOf(type), type: [type] }
    const payload = objectSchemaOf(members, describe(type))
    return [type, messageObject(type, familyOf(type), words.sentWhen(type), payload)]
  })
}

function messageObject(type: string, family: Family, summary: string, payload: Json): Json {
  return {
    name: type,
    title: type,
    summary,
    contentType: 'application/json',
    traits: [{ $ref: `#/components/messageTraits/${family}` }],
    payload,
  }
}

function channelObject(kind: keyof typeof channels, messages: readonly NamedMessage[]): Json {
  const { title, description } = channels[kind]
  return {
    // The URL is the receiver's.
    address: null,
    title,
    description,
    messages: Object.fromEntries(
      messages.map(([name]) => [name, { $ref: `#/components/messages/${name}` }]),
    ),
  }
}

function operationObject(
  kind: keyof typeof channels,
  messages: readonly NamedMessage[],
  wire: Wire,
): Json {
  const { name, title } = channels[kind]
  const answers = kind === 'subscription' ? ['receipt', 'challenge'] : ['receipt']
  return {
    action: 'send',
    channel: { $ref: `#/channels/${name}` },
    title,
    description: retriesOf(kind, wire),
    tags: [{ name }],
    messages: messages.map(([type]) => ({ $ref: `#/channels/${name}/messages/${type}` })),
    reply: {
      channel: { $ref: '#/channels/answers' },
      messages: answers.map((each) => ({ $ref: `#/channels/answers/messages/${each}` })),
    },
    bindings: { http: { method: 'POST', bindingVersion: httpBinding } },
  }
}

const answersChannel: Json = {
  address: null,
  title: 'Answers',
  description: 'What an endpoint answers, within 10 seconds.',
  messages: {
    receipt: {
      name: 'receipt',
      title: 'Receipt',
      summary: 'Any 2xx, once the message is stored; its body is not read.',
      payload: {},
    },
    challenge: {
      name: 'challenge',
      title: 'Echoed challenge',
      summary: 'To `subscription.verification_requested`: 2xx with the value that was received.',
      contentType: 'application/json',
      payload: {
        type: 'object',
        required: ['challenge'],
        properties: { challenge: { type: 'string', minLength: 1 } },
        additionalProperties: false,
      },
    },
  },
}

/** The headers of a family's messages, as interface.md lists them. */
function traitOf(family: Family, wire: Wire): Json {
  const rows = wire.rowsUnder('Headers').filter(([, of]) => of === family || of === 'both')
  const headers = {
    type: 'object',
    required: family === 'standard' ? ['webhook-id', 'webhook-timestamp', 'webhook-signature'] : [],
    properties: Object.fromEntries(
      rows.map(([name = '', , value = '']) => [
        name,
        { type: 'string', description: sentence(value), ...forms[name] },
      ]),
    ),
  }
  return { headers, bindings: { http: { headers, bindingVersion: httpBinding } } }
}

const forms: Readonly<Record<string, Json>> = {
  'webhook-timestamp': { pattern: '^\\d+$' },
  'webhook-signature': { pattern: '^v1a?,[A-Za-z0-9+/]+=*( v1a?,[A-Za-z0-9+/]+=*)*$' },
  'webhook-key-version': { pattern: '^\\d+$' },
  'X-Service-Signature': { pattern: '^sha256=[0-9a-f]{64}$' },
  'X-Service-Signature-Next': { pattern: '^sha256=[0-9a-f]{64}$' },
  'Content-Type': { const: 'application/json' },
}
