import { useLocation } from 'preact-iso'
import { memberPages, type PageEntry } from './pages.tsx'
import { to } from './paths.ts'

/** The pages that a member may read; those of a group lie behind its name. */
export function Navigation() {
  const { path } = useLocation()
  const shown = memberPages.filter(({ label, shown }) => label && (shown?.() ?? true))
  const groups = [...new Set(shown.flatMap(({ group }) => group ?? []))]
  return (
    <nav aria-label="Pages">
      <ul>
        <Entries of={shown.filter(({ group }) => !group)} path={path} />
        {groups.map((group) => (
          <Group
            key={`${group}${path}`}
            name={group}
            entries={shown.filter((entry) => entry.group === group)}
            path={path}
          />
        ))}
      </ul>
    </nav>
  )
}

/** Closed again by Escape, by a click or focus elsewhere, and once another page is shown. */
function Group({
  name,
  entries,
  path,
}: {
  readonly name: string
  readonly entries: readonly PageEntry[]
  readonly path: string
}) {
  const current = entries.some(({ path: at }) => isUnder(path, to(at)))
  return (
    <li>
      <details
        class="group"
        onFocusOut={({ currentTarget, relatedTarget }) => {
          if (!currentTarget.contains(relatedTarget as Node | null)) currentTarget.open = false
        }}
        onKeyDown={({ key, currentTarget }) => {
          if (key !== 'Escape' || !currentTarget.open) return
          currentTarget.open = false
          currentTarget.querySelector('summary')?.focus()
        }}
      >
        <summary class={current ? 'group-name current' : 'group-name'}>{name}</summary>
        <ul class="group-pages">
          <Entries of={entries} path={path} />
        </ul>
      </details>
    </li>
  )
}

function Entries({ of, path }: { readonly of: readonly PageEntry[]; readonly path: string }) {
  return (
    <>
      {of.map(({ path: at, label }) => (
        <li key={at}>
          <a href={to(at)} aria-current={isUnder(path, to(at)) ? 'page' : undefined}>
            {label}
          </a>
        </li>
      ))}
    </>
  )
}

/** Whether a page lies at a path or below it; only the first page lies at its path alone. */
function isUnder(path: string, at: string): boolean {
  return path === at || (at !== to('/') && path.startsWith(`${at}/`))
}
