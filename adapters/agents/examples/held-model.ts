import type { Reviews } from '@countersign/agents'
import { approvalMiddleware } from '@countersign/agents/ai-sdk'
import { type LanguageModel, wrapLanguageModel } from 'ai'

/** The model of a conversation; `secret` is the same in all processes, of 32 characters or more. */
export function heldModel(
  model: Parameters<typeof wrapLanguageModel>[0]['model'],
  reviews: Reviews,
  { sessionId, secret }: { readonly sessionId: string; readonly secret: string },
): LanguageModel {
  return wrapLanguageModel({
    model,
    middleware: approvalMiddleware(reviews, { sessionId, secret }),
  })
}
