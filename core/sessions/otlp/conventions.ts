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
/** What OpenLLMetry calls a step's subject matter: its agent, tool or workflow. */
export const entityNameKey = 'traceloop.entity.name'
/** Names with the key of their version, if they have one. */
export const agentKeys = [
  ['gen_ai.agent.name', 'gen_ai.agent.version'],
  ['agent.name', null],
  ['service.name', 'service.version'],
] as const
export const modelKeys = [
  'gen_ai.response.model',
  'gen_ai.request.model',
  'llm.model_name',
  'ai.model.id',
  'embedding.model_name',
  'reranker.model_name',
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
/** Of an embedding by the AI SDK; the span around it repeats the count. */
export const embeddedTokensKey = 'ai.usage.tokens'
export const toolKeys = ['gen_ai.tool.name', 'tool.name', 'ai.toolCall.name'] as const
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
export const entityKindKey = 'traceloop.span.kind'
export const requestTypeKey = 'llm.request.type'
export const aiOperationKey = 'ai.operationId'

/** By `openinference.span.kind`, in upper case. */
const typeOfKind: ReadonlyMap<string, StepType> = new Map([
  ['LLM', 'llm'],
  ['TOOL', 'tool'],
  ['AGENT', 'agent'],
  ['RETRIEVER', 'retrieval'],
  ['RERANKER', 'retrieval'],
  ['EMBEDDING', 'retrieval'],
  ['GUARDRAIL', 'guardrail'],
])

/** By `gen_ai.operation.name`. */
const typeOfOperation: ReadonlyMap<string, StepType> = new Map([
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

/** By `traceloop.span.kind`; a task is any function. */
const typeOfEntity: ReadonlyMap<string, StepType> = new Map([
  ['workflow', 'agent'],
  ['agent', 'agent'],
  ['tool', 'tool'],
])

/** By OpenLLMetry's `llm.request.type`. */
const typeOfRequest: ReadonlyMap<string, StepType> = new Map([
  ['chat', 'llm'],
  ['completion', 'llm'],
  ['embedding', 'retrieval'],
  ['rerank', 'retrieval'],
])

/** By the AI SDK's `ai.operationId`: a run of the model with its tools, each call of a model, and the tools. */
const typeOfAiOperation: ReadonlyMap<string, StepType> = new Map([
  ['ai.generateText', 'agent'],
  ['ai.streamText', 'agent'],
  ['ai.generateObject', 'agent'],
  ['ai.streamObject', 'agent'],
  ['ai.generateText.doGenerate', 'llm'],
  ['ai.streamText.doStream', 'llm'],
  ['ai.generateObject.doGenerate', 'llm'],
  ['ai.streamObject.doStream', 'llm'],
  ['ai.toolCall', 'tool'],
  ['ai.embed', 'retrieval'],
  ['ai.embed.doEmbed', 'retrieval'],
  ['ai.embedMany', 'retrieval'],
  ['ai.embedMany.doEmbed', 'retrieval'],
  ['ai.rerank', 'retrieval'],
  ['ai.rerank.doRerank', 'retrieval'],
])

/** Where a type is looked for, one after the other. */
export const typeTables: readonly (readonly [key: string, types: ReadonlyMap<string, StepType>])[] =
  [
    [spanKindKey, typeOfKind],
    [operationKey, typeOfOperation],
    [entityKindKey, typeOfEntity],
    [requestTypeKey, typeOfRequest],
    [aiOperationKey, typeOfAiOperation],
  ]
