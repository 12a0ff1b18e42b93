import { silentObserver } from '../../base/ports/observer.ts'
import { createRunner } from '../../kernel/work/index.ts'
import { planRetention } from '../../organizations/index.ts'
import { owingOn } from '../owing.ts'
import { createFixture as createAccessFixture } from './access/fixture.ts'

/** The organization of the access fixture, with its admin as an actor and a runner of plans. */
export async function createFixture() {
  const fixture = await createAccessFixture()
  const { ledger, clock, admin, reviewer, actorOf } = fixture
  return {
    ...fixture,
    plans: createRunner({
      ledger,
      clock,
      observer: silentObserver,
      handlers: [planRetention],
      owing: owingOn(ledger),
      options: { owner: 'plans' },
    }),
    ada: await actorOf(admin.email),
    rob: await actorOf(reviewer.email),
  }
}
