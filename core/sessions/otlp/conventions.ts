import type { StepType } from '../../content/span.ts'

export { checkpointKeys } from '../../policies/redaction/checkpoint-id.ts'

// Where the conventions in use put what the service knows by name: OpenTelemetry's for generative AI, OpenInference,
// OpenLLMetry, Langfuse and the Vercel AI SDK. Of several keys the first that has a value counts.

/** Without the resource's own, which comes last. */
export const sessionKeys = [
  'session.id',
  'gen_ai.conversation.id',
  'traceloop.association.properties.session_id',
  'langfuse.session.id',
] as const
export const resourceSessionKeys = ['session.id'] as const
export const subjectKeys = ['user.id', 'enduser.id', 'langfuse.user.id'] as const
export const agentKeys = [
  ['gen_ai.agent.name', 'gen_ai.agent.version'],
  ['service.name', 'service.version'],
] as const
export const modelKeys = [
  'gen_ai.response.model',
  'gen_ai.request.model',
  'llm.model_name',
  'ai.model.id',
] as const
export const inputTokenKeys = [
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.prompt_tokens',
  'llm.token_count.prompt',
] as const
export const outputTokenKeys = [
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.completion_tokens',
  'llm.token_count.completion',
] as const
export const toolKeys = ['gen_ai.tool.name', 'tool.name'] as const
export const systemInstructionsKey = 'gen_ai.system_instructions'
/** The key of messages, to which the system's instructions belong. */
export const inputMessagesKey = 'gen_ai.input.messages'
export const inputKeys: readonly string[] = [
  'gen_ai.tool.call.arguments',
  inputMessagesKey,
  'input.value',
  'traceloop.entity.input',
]
export const outputKeys = [
  'gen_ai.tool.call.result',
  'gen_ai.output.messages',
  'output.value',
  'traceloop.entity.output',
] as const
export const dataCategoriesKey = 'countersign.data_categories'
export const resumeTokenKeys = ['countersign.resume_token'] as const
export const policyKeys = {
  ruleId: 'countersign.policy.rule_id',
  effect: 'countersign.policy.effect',
  reasonCategory: 'countersign.policy.reason_category',
  reviewTier: 'countersign.policy.review_tier',
} as const
/** A span event that holds a score, and its attributes. */
export const evaluation = {
  event: 'gen_ai.evaluation.result',
  name: 'gen_ai.evaluation.name',
  value: 'gen_ai.evaluation.score.value',
  label: 'gen_ai.evaluation.score.label',
} as const

export const stepTypeKey = 'countersign.step.type'
export const spanKindKey = 'openinference.span.kind'
export const operationKey = 'gen_ai.operation.name'

/** By `openinference.span.kind`. */
export const typeOfKind: ReadonlyMap<string, StepType> = new Map([
  ['LLM', 'llm'],
  ['TOOL', 'tool'],
  ['AGENT', 'agent'],
  ['RETRIEVER', 'retrieval'],
  ['RERANKER', 'retrieval'],
  ['EMBEDDING', 'retrieval'],
  ['GUARDRAIL', 'guardrail'],
])

/** By `gen_ai.operation.name`. */
export const typeOfOperation: ReadonlyMap<string, StepType> = new Map([
  ['chat', 'llm'],
  ['text_completion', 'llm'],
  ['generate_content', 'llm'],
  ['execute_tool', 'tool'],
  ['invoke_agent', 'agent'],
  ['create_agent', 'agent'],
  ['invoke_workflow', 'agent'],
  ['embeddings', 'retrieval'],
  ['retrieval', 'retrieval'],
])
