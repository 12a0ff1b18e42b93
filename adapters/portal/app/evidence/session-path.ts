import type { SessionAnswer } from '@countersign/client'

/** The page of a session; applications may have sessions of the same id. */
export function sessionPath({
  sessionId,
  applicationId,
}: Pick<SessionAnswer, 'sessionId' | 'applicationId'>): string {
  const query = new URLSearchParams({ applicationId })
  return `/evidence/sessions/${encodeURIComponent(sessionId)}?${query}`
}
