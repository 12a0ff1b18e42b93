import type { ApplicationActor, CustomerKeyActor } from '../kernel/callers/actor.ts'
import type { Ledger } from '../kernel/ledger/ledger.ts'
import { ok, type Result } from '../kernel/ledger/refusal.ts'
import { active, applicationOf } from './load.ts'

/** What hosts ask of an application before they read a body. */
export interface ActiveCheck {
  /** Refuses with `application_gone` from the start of the application's deletion. */
  checkActive(actor: ApplicationActor | CustomerKeyActor): Promise<Result<null>>
}

export function createActiveCheck({ ledger }: { readonly ledger: Ledger }): ActiveCheck {
  return {
    async checkActive({ tenantId, applicationId }) {
      const [found] = await ledger.read(tenantId, [applicationOf(tenantId, applicationId)])
      const application = active(found)
      return application.ok ? ok(null) : application
    },
  }
}
