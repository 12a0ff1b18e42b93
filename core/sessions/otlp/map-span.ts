import { reasonGroups } from '../../base/events/reasons.ts'
import { reviewTiers } from '../../base/events/review.ts'
import {
  type Json,
  type NormalSpan,
  type SpanPolicyResult,
  type SpanRules,
  type StepType,
  stepTypes,
} from '../../content/span.ts'
import { ingestLimits, longest } from '../../kernel/ledger/limits.ts'
import { type Attributes, attributesOf } from './any-value.ts'
import * as keys from './conventions.ts'
import { contentsOfEvents } from './event-content.ts'
import { SpanRejected, within } from './faults.ts'
import { enumAt, memberAt, messageAt, textAt } from './members.ts'
import { isBefore, millisecondsOf, nanosecondsOf } from './nanoseconds.ts'
import { idText, labelText, scalarText } from './plain-text.ts'
import { type SourceFacts, spanFacts } from './source-facts.ts'
import { eventsOf } from './span-events.ts'
import { inputOf, outputOf } from './step-content.ts'

/** What a span inherits from its resource and scope. */
export interface Surroundings {
  /** The resource's attributes, with those that its spans hide. */
  readonly resource: Attributes
  /** Without them. */
  readonly shown: Attributes
  /** Of resource and scope. */
  readonly source: SourceFacts
}

/** An application's rules, made ready for many spans. */
export interface Mapping {
  readonly drops: SpanRules['drops']
  /** The application's own key, if it has one. */
  readonly ownSessionKeys: readonly string[]
  readonly subjectKeys: readonly string[]
  /** Attributes that a step is not shown with. */
  readonly hidden: readonly string[]
}

/** The mapping of an application with these rules. */
export function mappingOf(rules: SpanRules): Mapping {
  const { drops, sessionAttribute, subjectAttribute } = rules
  const subjectKeys =
    subjectAttribute === null ? keys.subjectKeys : [subjectAttribute, ...keys.subjectKeys]
  return {
    drops,
    ownSessionKeys: sessionAttribute === null ? [] : [sessionAttribute],
    subjectKeys,
    hidden: [...subjectKeys, ...keys.resumeTokenKeys],
  }
}

/** Attributes without those that name the subject, whom answers name by a pseudonym alone. */
export function withoutSubject(attributes: Attributes, { subjectKeys }: Mapping): Attributes {
  return subjectKeys.some((key) => key in attributes)
    ? without(attributes, [...subjectKeys])
    : attributes
}

/** OTLP's Status: an error, whatever it says. */
const errorCode = 2
const idForm = /^[0-9a-f]+$/i
const zeros = /^0+$/

/**
 * A span of an export in the service's own terms. Throws `SpanRejected` for one that can't be taken, and `ShapeError`
 * for what is no span. Contents stay whole: they are cut once they were judged and redacted.
 */
export function mapSpan(
  span: object,
  { resource, shown, source }: Surroundings,
  mapping: Mapping,
): NormalSpan {
  const { drops, subjectKeys } = mapping
  const given = attributesOf(span, drops)
  const told = eventsOf(span, drops)
  const own = spanFacts(span, drops)
  const status = statusOf(span)
  const start = nanosecondsOf(memberAt(span, 'startTimeUnixNano'))
  const end = nanosecondsOf(memberAt(span, 'endTimeUnixNano'))
  const traceId = spanIdOf(memberAt(span, 'traceId'), 32)
  const spanId = spanIdOf(memberAt(span, 'spanId'), 16)
  const parentSpanId = parentIdOf(memberAt(span, 'parentSpanId'))
  if (start === null || end === null || isBefore(end, start)) throw new SpanRejected('bad_times')

  const named = lookUp(given, resource)
  const name = labelText(textAt(span, 'name') || 'unnamed')
  const model = labelText(named(keys.modelKeys))
  const checkpointId = idText(named(keys.checkpointKeys))
  const type = typeOf(given, checkpointId !== null)
  const toolName = labelText(
    named(keys.toolKeys) ?? (type === 'tool' ? scalarText(given[keys.entityNameKey]) : null),
  )
  const [input, output] = [inputOf(given), outputOf(given)]
  const among = contentsOfEvents(told.events, { input: input === null, output: output === null })
  const others = without(given, [
    ...mapping.hidden,
    ...(input?.keys ?? []),
    ...(output?.keys ?? []),
  ])
  Object.assign(others, source.facts, own.facts)
  if (status.message !== '') others['otel.status_description'] = status.message
  if (among.events.length > 0) others['otel.events'] = among.events

  return {
    traceId,
    spanId,
    parentSpanId,
    sessionId: idText(
      named(mapping.ownSessionKeys) ??
        firstOf(given, keys.sessionKeys) ??
        firstOf(resource, keys.resourceSessionKeys),
    ),
    dataSubjectId: idText(named(subjectKeys)),
    agent: agentOf(named, given),
    name: name.text ?? '',
    type,
    startedAt: millisecondsOf(start),
    endedAt: millisecondsOf(end),
    status: status.code === errorCode ? 'error' : 'ok',
    model: model.text,
    inputTokens: tokensOf(named(keys.inputTokenKeys) ?? embeddedTokensOf(given)),
    outputTokens: tokensOf(named(keys.outputTokenKeys)),
    toolName: toolName.text,
    dataCategories: categoriesOf(given, resource),
    checkpointId,
    resumeToken: idText(named(keys.resumeTokenKeys), longest.resumeToken),
    policyResult: policyResultOf(named),
    scores: told.scores,
    input: input?.value ?? among.input,
    output: output?.value ?? among.output,
    attributes: others,
    resource: shown,
    truncated: name.cut || model.cut || toolName.cut,
    incompleteAtSource:
      source.incompleteAtSource || own.incompleteAtSource || told.incompleteAtSource,
  }
}

/** The first of several attributes that has a value, the span's before the resource's. */
type LookUp = (names: readonly string[]) => string | null

function lookUp(span: Attributes, resource: Attributes): LookUp {
  return (names) => firstOf(span, names) ?? firstOf(resource, names)
}

function firstOf(attributes: Attributes, names: readonly string[]): string | null {
  for (const name of names) {
    const text = scalarText(attributes[name])
    if (text !== null) return text
  }
  return null
}

function spanIdOf(given: unknown, digits: number): string {
  if (
    typeof given !== 'string' ||
    given.length !== digits ||
    !idForm.test(given) ||
    zeros.test(given)
  )
    throw new SpanRejected('bad_id')
  return given.toLowerCase()
}

/** Null for a root, whose parent is absent, empty or zeros. */
function parentIdOf(given: unknown): string | null {
  if (given === null || given === '' || (typeof given === 'string' && zeros.test(given)))
    return null
  return spanIdOf(given, 16)
}

function statusOf(span: object): { readonly code: number; readonly message: string } {
  const status = messageAt(span, 'status')
  if (status === null) return { code: 0, message: '' }
  try {
    return { code: enumAt(status, 'code'), message: textAt(status, 'message') }
  } catch (error) {
    throw within(error, '/status')
  }
}

function agentOf(named: LookUp, span: Attributes): NormalSpan['agent'] {
  const entityAgent =
    span[keys.entityKindKey] === 'agent' ? scalarText(span[keys.entityNameKey]) : null
  for (const [name, version] of keys.agentKeys) {
    // A service is the last resort.
    const given = named([name]) ?? (version === null ? entityAgent : null)
    const { text } = labelText(given)
    if (text !== null)
      return { name: text, version: version === null ? null : labelText(named([version])).text }
  }
  return null
}

function typeOf(span: Attributes, isCheckpoint: boolean): StepType {
  const named = stepTypes.find((type) => type === span[keys.stepTypeKey])
  if (named) return named
  for (const [key, types] of keys.typeTables) {
    const given = scalarText(span[key]) ?? ''
    const type = types.get(key === keys.spanKindKey ? given.toUpperCase() : given)
    if (type) return type
  }
  return isCheckpoint ? 'human' : 'other'
}

/** Tokens of an embedding by the AI SDK. */
function embeddedTokensOf(span: Attributes): string | null {
  const isCall = scalarText(span[keys.aiOperationKey])?.endsWith('.doEmbed')
  return isCall ? scalarText(span[keys.embeddedTokensKey]) : null
}

/** A count, or null. */
function tokensOf(text: string | null): number | null {
  const count = text === null || !/^\d{1,16}$/.test(text) ? Number.NaN : Number(text)
  return Number.isSafeInteger(count) ? count : null
}

/** Of an array or a list with commas, each once. */
function categoriesOf(span: Attributes, resource: Attributes): readonly string[] {
  const given = span[keys.dataCategoriesKey] ?? resource[keys.dataCategoriesKey] ?? ''
  const listed = Array.isArray(given)
    ? given.map(scalarText)
    : (scalarText(given) ?? '').slice(0, ingestLimits.contentBytes).split(',')
  const categories = new Set<string>()
  for (const each of listed) {
    const { text } = labelText(each?.trim() || null)
    if (text !== null) categories.add(text)
  }
  if (categories.size > ingestLimits.attributesPerStep) throw new SpanRejected('over_limit')
  return categories.size === 0 ? none : [...categories]
}

const none: readonly never[] = []

/** Null without a rule, and where the effect is none. */
function policyResultOf(named: LookUp): SpanPolicyResult | null {
  const ruleId = idText(named([keys.policyKeys.ruleId]))
  const effect = named([keys.policyKeys.effect])
  if (ruleId === null || (effect !== 'allow' && effect !== 'deny' && effect !== 'require_review'))
    return null
  const reason = named([keys.policyKeys.reasonCategory])
  const tier = named([keys.policyKeys.reviewTier])
  return {
    ruleId,
    effect,
    reasonCategory: reasonGroups.why.find((each) => each === reason) ?? null,
    reviewTier: reviewTiers.find((each) => each === tier) ?? null,
  }
}

function without(span: Attributes, names: readonly string[]): Record<string, Json> {
  const others: Record<string, Json> = {}
  for (const key in span) if (!names.includes(key)) others[key] = span[key] as Json
  return others
}
