import { useLocation } from 'preact-iso'
import { useKeys } from '../parts/keys.ts'
import { to } from '../paths.ts'
import type { Claims } from './use-claim.ts'

/** Claims the first case that is due and that nobody has, and opens it. */
export function ClaimNext({ claim }: { readonly claim: Claims }) {
  const { route } = useLocation()
  const claimNext = async () => {
    const taken = await claim.next()
    if (taken) route(to(`/cases/${encodeURIComponent(taken)}`))
  }
  useKeys({
    n: { does: 'claim the next that is due', run: ({ repeat }) => void (!repeat && claimNext()) },
  })
  return (
    <button type="button" aria-disabled={claim.running.value} onClick={() => void claimNext()}>
      Claim next due <kbd>N</kbd>
    </button>
  )
}
