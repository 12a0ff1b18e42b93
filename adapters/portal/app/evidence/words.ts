import type { PackageAnswer, SessionAnswer, StepAnswer } from '@countersign/client'

export const statusWords: Readonly<Record<SessionAnswer['status'], string>> = {
  running: 'Running',
  completed: 'Completed',
  failed: 'Failed',
}

export const originWords: Readonly<Record<SessionAnswer['origin'], string>> = {
  otlp: 'Spans (OpenTelemetry)',
  submission: 'Submission',
}

export const payloadWords: Readonly<Record<SessionAnswer['payloadStatus'], string>> = {
  readable: 'can be read',
  partly_erased: 'partly erased',
  erased: 'erased',
  none: 'none was sent',
}

export const stepTypeWords: Readonly<Record<StepAnswer['type'], string>> = {
  llm: 'model',
  tool: 'tool',
  retrieval: 'retrieval',
  agent: 'agent',
  guardrail: 'guardrail',
  human: 'human',
  other: 'other',
}

export const packWords: Readonly<Record<PackageAnswer['packType'], string>> = {
  bulk: 'Sessions of applications',
  auditor: 'For an auditor',
  subject: 'About a data subject',
}
