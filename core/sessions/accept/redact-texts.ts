import type { Slices } from '../../base/json/in-slices.ts'
import { cutText } from '../../base/text/text-rules.ts'
import type { Agent, StoredScore } from '../../content/records.ts'
import { ingestLimits, longest } from '../../kernel/ledger/limits.ts'
import { checkpointText } from '../../policies/redaction/checkpoint-id.ts'
import type { MappedText, Redactor } from '../../policies/redaction/redact.ts'
import type { OwnResult, StepFacts } from '../../policies/rules/shapes.ts'
import {
  agentKeys,
  dataCategoriesKey,
  entityNameKey,
  evaluation,
  modelKeys,
  policyKeys,
  toolKeys,
} from '../otlp/conventions.ts'
import type { IncomingStep } from './incoming.ts'

/** Texts of a session beside its contents. */
export interface SessionTexts {
  readonly agent: Agent | null
  readonly scores: readonly StoredScore[]
  readonly ownResults: readonly OwnResult[]
}

/** Texts of a step that are stored and sent in clear. Its ids, by which it is addressed, are never redacted. */
export interface StepTexts extends SessionTexts {
  readonly name: string
  readonly model: string | null
  readonly toolName: string | null
  readonly dataCategories: readonly string[]
  readonly checkpointId: string | null
}

/** What a redaction made of texts. */
export interface RedactedTexts<T> {
  readonly texts: T
  readonly redactions: number
  /** Whether one was cut to its limit. */
  readonly cut: boolean
}

const none: readonly never[] = []

/** Takes the place of a text that is required and was removed. */
const removedText = '[redacted]'

const agentNameKeys = [...agentKeys.map(([name]) => name), entityNameKey]
const agentVersionKeys = agentKeys.flatMap(([, version]) => version ?? [])
const toolNameKeys = [...toolKeys, entityNameKey]

/** The texts of a step after redaction, each cut to its limit. */
export function* redactStepTexts(
  redactor: Redactor,
  { facts, agent }: Pick<IncomingStep, 'facts' | 'agent'>,
  slices: Slices,
): Generator<undefined, RedactedTexts<StepTexts>> {
  const { type, name, model, toolName, dataCategories, checkpointId, scores, ownResults } = facts
  const given = { name, model, toolName, dataCategories, checkpointId, agent, scores, ownResults }
  // Most applications have no policy, and steps come by the thousand.
  if (redactor.passes === 0) {
    const fitting = createFitting()
    return { texts: stepTexts(given, fitting.fit), redactions: 0, cut: fitting.hasCut() }
  }
  const { write, ...replaced } = yield* replacing(redactor, type, slices, (text) =>
    stepTexts(given, text),
  )
  return { texts: stepTexts(given, write), ...replaced }
}

/** The texts of a session after redaction, each cut to its limit. */
export function* redactSessionTexts(
  redactor: Redactor,
  { agent, scores, ownResults }: SessionTexts,
  slices: Slices,
): Generator<undefined, RedactedTexts<SessionTexts>> {
  const given = { agent, scores, ownResults }
  const { write, ...replaced } = yield* replacing(redactor, null, slices, (text) =>
    sessionTexts(given, text),
  )
  return { texts: sessionTexts(given, write), ...replaced }
}

/** Goes over one text: gives what takes its place, null where it was removed. */
type Rewrite = (mapped: MappedText) => string | null

/**
 * Collects the texts that `visit` goes over, redacts them, and answers the rewrite that hands them out in that order.
 * Texts that are too long to be redacted are left out.
 */
function* replacing(
  redactor: Redactor,
  type: StepFacts['type'] | null,
  slices: Slices,
  visit: (rewrite: Rewrite) => unknown,
): Generator<
  undefined,
  { readonly write: Rewrite; readonly redactions: number; readonly cut: boolean }
> {
  const asked: MappedText[] = []
  visit((mapped) => {
    asked.push(mapped)
    return mapped.text
  })
  const isLeft = ({ text }: MappedText) =>
    redactor.passes > 0 && text.length > ingestLimits.redactedText
  const { texts, redactions } = yield* redactor.texts(
    type,
    asked.map((mapped) => (isLeft(mapped) ? { ...mapped, text: '' } : mapped)),
    slices,
  )
  const { fit, hasCut } = createFitting()
  let left = false
  const written = texts.map((text, at) => {
    const mapped = asked[at] as MappedText
    if (isLeft(mapped)) left = true
    const isEmptied = text === '' && mapped.text !== ''
    if (text === null || isEmptied || isLeft(mapped)) return null
    return fit({ ...mapped, text })
  })
  let at = 0
  return { write: () => written[at++] ?? null, redactions, cut: left || hasCut() }
}

/** Cuts texts to their limits, and remembers whether it has cut one. */
function createFitting(): { readonly fit: Rewrite; hasCut(): boolean } {
  let cut = false
  return {
    fit({ text, distinct }) {
      const most = distinct ? longest.id : longest.name
      if (text.length > most) cut = true
      return cutText(text, most)
    },
    hasCut: () => cut,
  }
}

function stepTexts(given: StepTexts, rewrite: Rewrite): StepTexts {
  const { name, model, toolName, dataCategories, checkpointId } = given
  const nullable = (text: string | null, keys: readonly string[]) =>
    text === null ? null : rewrite({ text, keys })
  return {
    name: rewrite({ text: name, keys: [] }) ?? removedText,
    model: nullable(model, modelKeys),
    toolName: nullable(toolName, toolNameKeys),
    dataCategories:
      dataCategories.length === 0
        ? none
        : [
            ...new Set(
              dataCategories.flatMap((text) => rewrite({ text, keys: [dataCategoriesKey] }) ?? []),
            ),
          ],
    checkpointId: checkpointId === null ? null : rewrite(checkpointText(checkpointId)),
    ...sessionTexts(given, rewrite),
  }
}

function sessionTexts({ agent, scores, ownResults }: SessionTexts, rewrite: Rewrite): SessionTexts {
  return {
    agent: agent && {
      name: rewrite({ text: agent.name, keys: agentNameKeys }) ?? removedText,
      version:
        agent.version === null ? null : rewrite({ text: agent.version, keys: agentVersionKeys }),
    },
    scores: scores.map(({ name, value, label }) => ({
      name: rewrite({ text: name, keys: [evaluation.name] }) ?? removedText,
      value,
      label: label === null ? null : rewrite({ text: label, keys: [evaluation.label] }),
    })),
    ownResults: ownResults.map((result) => ({
      ...result,
      ruleId:
        rewrite({ text: result.ruleId, keys: [policyKeys.ruleId], distinct: true }) ?? removedText,
      ruleName: result.ruleName === null ? null : rewrite({ text: result.ruleName, keys: [] }),
    })),
  }
}
