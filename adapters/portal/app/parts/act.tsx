import type { ComponentChildren } from 'preact'
import type { Writing } from '../client/use-write.ts'

/** A button that sets something going; while that runs it stays where it is and does nothing. */
export function Act({
  writing,
  onPress,
  primary = false,
  children,
}: {
  readonly writing: Writing
  readonly onPress: () => unknown
  readonly primary?: boolean
  readonly children: ComponentChildren
}) {
  const running = writing.running.value
  return (
    <button
      type="button"
      class={primary ? 'primary' : undefined}
      aria-disabled={running}
      onClick={() => {
        if (!running) onPress()
      }}
    >
      {children}
    </button>
  )
}
