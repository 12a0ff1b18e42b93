import type { Actor, ApplicationActor } from '../access/actor.ts'
import type { Page, PageQuery } from '../ledger/page.ts'
import type { Result } from '../ledger/refusal.ts'
import type { ApplicationView, OutcomeCallbackView } from './view.ts'

/** Applications and where their outcomes go. */
export interface ApplicationUseCases {
  /** `application_gone` from the start of its deletion; for hosts that must say so before they read a body. */
  checkActive(actor: ApplicationActor): Promise<Result<null>>
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
