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
import { SpanRejected, within } from './faults.ts'
import { enumAt, memberAt, messageAt, textAt } from './members.ts'
import { isBefore, millisecondsOf, nanosecondsOf } from './nanoseconds.ts'
import { idText, labelText, scalarText } from './plain-text.ts'
import { eventsOf } from './span-events.ts'

/** What a span inherits from its resource and scope. */
export interface Surroundings {
  /** The resource's attributes, with those that its spans hide. */
  readonly resource: Attributes
  /** Without them. */
  readonly shown: Attributes
  readonly scope: { readonly name: string; readonly version: string }
}

/** An application's rules, made ready for many spans. */
export interface Mapping {
  readonly drops: SpanRules['drops']
  /** The application's own key, if it has one. */
  readonly ownSessionKeys: readonly string[]
  readonly subjectKeys: readonly string[]
}

/** The mapping of an application with these rules. */
export function mappingOf(rules: SpanRules): Mapping {
  const { drops, sessionAttribute, subjectAttribute } = rules
  return {
    drops,
    ownSessionKeys: sessionAttribute === null ? [] : [sessionAttribute],
    subjectKeys:
      subjectAttribute === null ? keys.subjectKeys : [subjectAttribute, ...keys.subjectKeys],
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
  { resource, shown, scope }: Surroundings,
  mapping: Mapping,
): NormalSpan {
  const { drops, subjectKeys } = mapping
  const given = attributesOf(span, drops)
  const { events, scores } = eventsOf(span, drops)
  const status = statusOf(span)
  const start = nanosecondsOf(memberAt(span, 'startTimeUnixNano'))
  const end = nanosecondsOf(memberAt(span, 'endTimeUnixNano'))
  const traceId = spanIdOf(memberAt(span, 'traceId'), 32)
  const spanId = spanIdOf(memberAt(span, 'spanId'), 16)
  const parentSpanId = parentIdOf(memberAt(span, 'parentSpanId'))
  if (start === null || end === null || isBefore(end, start)) throw new SpanRejected('bad_times')

  const own = lookUp(given, resource)
  const name = labelText(textAt(span, 'name') || 'unnamed')
  const model = labelText(own(keys.modelKeys))
  const toolName = labelText(own(keys.toolKeys))
  const checkpointId = idText(own(keys.checkpointKeys))
  const [input, inputKey] = inputOf(given)
  const [output, outputKey] = contentOf(given, keys.outputKeys)
  const others = without(given, [
    ...subjectKeys,
    ...keys.resumeTokenKeys,
    inputKey,
    outputKey,
    inputKey === keys.inputMessagesKey ? keys.systemInstructionsKey : null,
  ])
  if (status.message !== '') others['otel.status_description'] = status.message
  if (scope.name !== '') others['otel.scope.name'] = scope.name
  if (scope.version !== '') others['otel.scope.version'] = scope.version
  if (events.length > 0) others['otel.events'] = events

  return {
    traceId,
    spanId,
    parentSpanId,
    sessionId: idText(
      own(mapping.ownSessionKeys) ??
        firstOf(given, keys.sessionKeys) ??
        firstOf(resource, keys.resourceSessionKeys),
    ),
    dataSubjectId: idText(own(subjectKeys)),
    agent: agentOf(own),
    name: name.text ?? '',
    type: typeOf(given, checkpointId !== null),
    startedAt: millisecondsOf(start),
    endedAt: millisecondsOf(end),
    status: status.code === errorCode ? 'error' : 'ok',
    model: model.text,
    inputTokens: tokensOf(own(keys.inputTokenKeys)),
    outputTokens: tokensOf(own(keys.outputTokenKeys)),
    toolName: toolName.text,
    dataCategories: categoriesOf(given, resource),
    checkpointId,
    resumeToken: idText(own(keys.resumeTokenKeys), longest.resumeToken),
    policyResult: policyResultOf(own),
    scores,
    input,
    output,
    attributes: others,
    resource: shown,
    truncated: name.cut || model.cut || toolName.cut,
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
  // Nobody reads the kind, but a name in its place is no OTLP.
  enumAt(span, 'kind')
  if (status === null) return { code: 0, message: '' }
  try {
    return { code: enumAt(status, 'code'), message: textAt(status, 'message') }
  } catch (error) {
    throw within(error, '/status')
  }
}

function agentOf(own: LookUp): NormalSpan['agent'] {
  for (const [name, version] of keys.agentKeys) {
    const { text } = labelText(own([name]))
    if (text !== null) return { name: text, version: labelText(own([version])).text }
  }
  return null
}

function typeOf(span: Attributes, isCheckpoint: boolean): StepType {
  const named = stepTypes.find((type) => type === span[keys.stepTypeKey])
  const kind = scalarText(span[keys.spanKindKey])?.toUpperCase() ?? ''
  const operation = scalarText(span[keys.operationKey]) ?? ''
  return (
    named ??
    keys.typeOfKind.get(kind) ??
    keys.typeOfOperation.get(operation) ??
    (isCheckpoint ? 'human' : 'other')
  )
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
function policyResultOf(own: LookUp): SpanPolicyResult | null {
  const ruleId = idText(own([keys.policyKeys.ruleId]))
  const effect = own([keys.policyKeys.effect])
  if (ruleId === null || (effect !== 'allow' && effect !== 'deny' && effect !== 'require_review'))
    return null
  const reason = own([keys.policyKeys.reasonCategory])
  const tier = own([keys.policyKeys.reviewTier])
  return {
    ruleId,
    effect,
    reasonCategory: reasonGroups.why.find((each) => each === reason) ?? null,
    reviewTier: reviewTiers.find((each) => each === tier) ?? null,
  }
}

/** The messages together with the system's instructions, or what else the first key with a value holds. */
function inputOf(span: Attributes): readonly [value: Json, key: string | null] {
  const instructions = span[keys.systemInstructionsKey] ?? null
  const [value, key] = contentOf(span, keys.inputKeys)
  if (instructions === null || (key !== null && key !== keys.inputMessagesKey)) return [value, key]
  return [{ system_instructions: instructions, messages: value }, keys.inputMessagesKey]
}

function contentOf(
  span: Attributes,
  names: readonly string[],
): readonly [value: Json, key: string | null] {
  for (const name of names) {
    const value = span[name] ?? null
    if (value !== null && value !== '') return [value, name]
  }
  return [null, null]
}

function without(span: Attributes, names: readonly (string | null)[]): Record<string, Json> {
  const others: Record<string, Json> = {}
  for (const key in span) if (!names.includes(key)) others[key] = span[key] as Json
  return others
}
