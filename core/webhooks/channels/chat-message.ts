import { catalogue, type EventType, isEventType } from '../../base/events/catalogue.ts'
import type { ChannelKind } from './records.ts'

/** Fields of one message (Slack, section block). */
const mostFields = 10
/** UTF-16 units of a header (Slack, header block), and of a value. */
const headerLength = 150
const valueLength = 200

/** Members that say a state; all other texts but ids stay out of chats. */
const states: readonly string[] = [
  'decision',
  'reviewTier',
  'reasonCategory',
  'metricName',
  'severity',
  'flag',
  'source',
  'status',
  'previousStatus',
  'scope',
  'packType',
  'fromStage',
  'toStage',
]

interface Fact {
  readonly name: string
  readonly value: string
}

/** What a chat message shows of an event: ids, states and numbers alone. */
interface Summary {
  readonly title: string
  readonly facts: readonly Fact[]
  /** Organization, event and time. */
  readonly source: string
  readonly link: string
}

/** What a message has beside the event. */
interface Sender {
  readonly organizationName: string
  /** The portal's base URL. */
  readonly portalUrl: string
}

type Json = Readonly<Record<string, unknown>>
const fromUtf8 = new TextDecoder('utf-8', { fatal: true })
const utf8 = new TextEncoder()

/** The body of a chat message about an event, as the tool takes it. `event`: the event's stored bytes. */
export function chatMessage(kind: ChannelKind, event: Uint8Array, sender: Sender): Uint8Array {
  const summary = summaryOf(JSON.parse(fromUtf8.decode(event)) as Json, sender)
  return utf8.encode(
    JSON.stringify(kind === 'slack' ? slackMessage(summary) : teamsMessage(summary)),
  )
}

function summaryOf(event: Json, { organizationName, portalUrl }: Sender): Summary {
  const type = String(event.type)
  const own =
    isEventType(type) && hasData(type) ? { ...placeOf(event), ...(event.data as Json) } : event
  const facts = Object.entries(own).flatMap(([name, value]): readonly Fact[] =>
    isShown(name, value) ? [{ name, value: cut(String(value), valueLength) }] : [],
  )
  const { reviewCaseId } = event
  const organization = cut(organizationName, valueLength)
  const source = [organization, String(event.id), String(event.timestamp ?? event.time)]
  return {
    title: cut(type, headerLength),
    facts: facts.slice(0, mostFields),
    // The name of a deleted organization is empty.
    source: source.filter((part) => part !== '').join(' · '),
    link:
      typeof reviewCaseId === 'string'
        ? `${portalUrl}/cases/${encodeURIComponent(reviewCaseId)}`
        : `${portalUrl}/`,
  }
}

function hasData(type: EventType): boolean {
  const { envelope } = catalogue[type]
  return envelope === 'legacy' || envelope === 'platform'
}

function placeOf({ applicationId, application }: Json): Json {
  return { applicationId: applicationId ?? (application as Json | null)?.id ?? null }
}

function isShown(name: string, value: unknown): boolean {
  if (typeof value === 'number') return name !== 'schemaVersion'
  if (typeof value !== 'string' || name === 'tenantId') return false
  return name.endsWith('Id') || states.includes(name)
}

/** At most so many UTF-16 units, without half a surrogate pair at the end. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text
  return `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

function slackMessage({ title, facts, source, link }: Summary): object {
  const section = {
    type: 'section',
    fields: facts.map(({ name, value }) => ({
      type: 'mrkdwn',
      text: `*${escaped(name)}*\n${escaped(value)}`,
    })),
  }
  return {
    text: escaped(title),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: title } },
      ...(facts.length > 0 ? [section] : []),
      {
        type: 'context',
        elements: [{ type: 'mrkdwn', text: escaped(source) }],
      },
      {
        type: 'actions',
        elements: [
          { type: 'button', text: { type: 'plain_text', text: 'Open the portal' }, url: link },
        ],
      },
    ],
  }
}

/** What Slack's mrkdwn takes for markup. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function teamsMessage({ title, facts, source, link }: Summary): object {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      { type: 'TextBlock', text: plain(title), size: 'Medium', weight: 'Bolder', wrap: true },
      {
        type: 'FactSet',
        facts: facts.map(({ name, value }) => ({ title: plain(name), value: plain(value) })),
      },
      { type: 'TextBlock', text: plain(source), isSubtle: true, wrap: true },
    ],
    actions: [{ type: 'Action.OpenUrl', title: 'Open the portal', url: link }],
  }
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }],
  }
}

/** Without what a text block takes for Markdown: links, emphasis, lists. */
function plain(text: string): string {
  return text.replace(/[\\*_~`[\]()#<>]/g, '\\$&')
}
