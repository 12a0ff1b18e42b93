import type { SessionFacts, StepFacts } from './shapes.ts'

/** Members of a step that conditions name; an attribute of the same name is hidden. */
const ofStep: Readonly<Record<string, (step: StepFacts) => unknown>> = {
  stepId: (step) => step.stepId,
  parentStepId: (step) => step.parentStepId,
  type: (step) => step.type,
  name: (step) => step.name,
  status: (step) => step.status,
  durationMs: (step) => step.endedAt - step.startedAt,
  model: (step) => step.model,
  inputTokens: (step) => step.inputTokens,
  outputTokens: (step) => step.outputTokens,
  toolName: (step) => step.toolName,
  'agent.name': (step) => step.agentName,
  'agent.version': (step) => step.agentVersion,
  dataSubjectId: (step) => step.dataSubjectId,
  dataCategories: (step) => step.dataCategories,
  checkpointId: (step) => step.checkpointId,
  input: (step) => textOf(step.input),
  output: (step) => textOf(step.output),
}

/** Members of a session that conditions name as `session.<member>`. */
const ofSession: Readonly<Record<string, (session: SessionFacts) => unknown>> = {
  sessionId: (session) => session.sessionId,
  applicationId: (session) => session.applicationId,
  origin: (session) => session.origin,
  dataSubjectId: (session) => session.dataSubjectId,
  'agent.name': (session) => session.agentName,
  'agent.version': (session) => session.agentVersion,
}

const sessionPrefix = 'session.'
const metadataPrefix = 'metadata.'
const scorePrefix = 'score.'

/**
 * The fact that a key names: a member of the step, `session.<member>`, `session.metadata.<name>`, `score.<name>` (the
 * step's before the session's, the last of a name), else the step's attribute. Null or undefined where there is none.
 */
export function factOf(key: string, step: StepFacts, session: SessionFacts): unknown {
  const member = own(ofStep, key)
  if (member) return member(step)
  if (isOfSession(key)) return sessionFactOf(key, session)
  if (key.startsWith(scorePrefix)) {
    const name = key.slice(scorePrefix.length)
    const found = [...session.scores, ...step.scores].findLast((score) => score.name === name)
    return found?.value
  }
  return own(step.attributes, key)
}

/** Whether a key names a member of the session. */
export function isOfSession(key: string): boolean {
  return key.startsWith(sessionPrefix)
}

/** The member of the session that a key names. */
export function sessionFactOf(named: string, session: SessionFacts): unknown {
  const key = named.slice(sessionPrefix.length)
  const member = own(ofSession, key)
  if (member) return member(session)
  return key.startsWith(metadataPrefix)
    ? own(session.metadata, key.slice(metadataPrefix.length))
    : undefined
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

/** A step whose contents are read as texts, each written once for all rules. */
export function withTexts(step: StepFacts): StepFacts {
  let input: unknown
  let output: unknown
  return {
    ...step,
    get input() {
      input ??= textOf(step.input)
      return input
    },
    get output() {
      output ??= textOf(step.output)
      return output
    },
  }
}

/** Content as conditions read it: JSON as its text. */
function textOf(content: unknown): unknown {
  return typeof content === 'object' && content !== null ? JSON.stringify(content) : content
}
