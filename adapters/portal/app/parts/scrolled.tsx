import type { ComponentChildren } from 'preact'

/** A text in its own lines, which scrolls where they are long. */
export function Scrolled({
  class: name,
  children,
}: {
  readonly class?: string
  readonly children: ComponentChildren
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it.
    <pre class={name} tabIndex={0}>
      {children}
    </pre>
  )
}
