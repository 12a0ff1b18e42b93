import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { brandName } from '../brand.ts'
import type { Reading } from '../client/use-read.ts'
import { Failure } from './failure.tsx'

/** What the router gives a page: the variable segments of its address. */
export interface PageProps {
  readonly params?: Readonly<Record<string, string>>
}

/** A page under its heading, which takes the focus when one comes to it, and names the tab. */
export function Page({
  title,
  tab = title,
  children,
  acts,
}: {
  readonly title: string
  /** The name of the tab, if it tells more. */
  readonly tab?: string
  readonly children: ComponentChildren
  readonly acts?: ComponentChildren
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${tab} · ${brandName}`
  }, [tab])
  // With the drawing: later it would take the focus from a field that somebody types in already.
  useLayoutEffect(() => {
    heading.current?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [])
  return (
    <main id="main">
      <header class="page-head">
        <h1 tabIndex={-1} ref={heading}>
          {title}
        </h1>
        {acts && <div class="acts">{acts}</div>}
      </header>
      {children}
    </main>
  )
}

/** Shows what was read; before that a shadow of it, and with it why there is no newer answer. */
export function Shown<T>({
  of,
  children,
}: {
  readonly of: Reading<T>
  readonly children: (data: T) => ComponentChildren
}) {
  const data = of.data.value
  return (
    <>
      <Failure error={of.error.value} again={of.again} />
      {data !== null && children(data)}
      {data === null && !of.error.value && (
        <p class="skeleton" aria-busy="true">
          Loading…
        </p>
      )}
    </>
  )
}

/** A list without rows: why it is empty, and the one thing to do next. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <div class="empty">{children}</div>
}
