import { useLocation } from 'preact-iso'

/** Where a page of a list lies in the whole of it, with links to its neighbours; their number is in the address. */
export function Pager({
  of: { page, pageSize, totalCount, hasMore },
}: {
  readonly of: {
    readonly page: number
    readonly pageSize: number
    readonly totalCount: number
    readonly hasMore: boolean
  }
}) {
  const { url } = useLocation()
  const first = (page - 1) * pageSize + 1
  const last = Math.min(page * pageSize, totalCount)
  if (page === 1 && !hasMore) return null
  return (
    <nav class="pager" aria-label="Pages of the list">
      {page > 1 && (
        <a href={addressOf(url, page - 1)} rel="prev">
          Previous
        </a>
      )}
      <span>{first <= totalCount ? `${first}–${last} of ${totalCount}` : `of ${totalCount}`}</span>
      {hasMore && (
        <a href={addressOf(url, page + 1)} rel="next">
          Next
        </a>
      )}
    </nav>
  )
}

function addressOf(url: string, page: number): string {
  const next = new URL(url, location.origin)
  next.searchParams.set('page', String(page))
  return next.pathname + next.search
}

/** The page that the address asks for. */
export function usePage(): number {
  const page = Number(useLocation().query.page ?? 1)
  return Number.isSafeInteger(page) && page > 0 ? page : 1
}
