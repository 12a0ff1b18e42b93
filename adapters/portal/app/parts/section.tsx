import type { ComponentChildren } from 'preact'

/** A part of a page under its own heading, with what can be begun in it beside that. */
export function Section({
  id,
  title,
  act,
  children,
}: {
  readonly id: string
  readonly title: string
  readonly act?: { readonly label: string; readonly onPress: () => void } | false
  readonly children: ComponentChildren
}) {
  return (
    <section aria-labelledby={id}>
      <header class="page-head">
        <h2 id={id}>{title}</h2>
        {act && (
          <button type="button" onClick={act.onPress}>
            {act.label}
          </button>
        )}
      </header>
      {children}
    </section>
  )
}
