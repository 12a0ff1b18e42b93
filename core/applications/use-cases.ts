import type { Actor } from '../access/actor.ts'
import type { Page, PageQuery } from '../ledger/page.ts'
import type { Result } from '../ledger/refusal.ts'
import type { ApplicationView, OutcomeCallbackView } from './view.ts'

export interface ApplicationUseCases {
  list(actor: Actor, page: PageQuery): Promise<Result<Page<ApplicationView>>>
  create(actor: Actor, input: { readonly name: string }): Promise<Result<ApplicationView>>
  read(actor: Actor, applicationId: string): Promise<Result<ApplicationView>>
  setOutcomeCallback(
    actor: Actor,
    applicationId: string,
    input: {
      readonly url: string
      readonly enabled: boolean
      readonly signing?: { readonly method: 'ed25519' | 'shared_secret' }
    },
  ): Promise<Result<OutcomeCallbackView>>
}
