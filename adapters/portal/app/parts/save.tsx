import type { ComponentChildren } from 'preact'

/** Saves a text as a file, which this browser makes by itself. */
export function Save({
  name,
  text,
  children,
}: {
  readonly name: string
  readonly text: string
  readonly children: ComponentChildren
}) {
  const save = () => {
    const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
    const link = document.createElement('a')
    link.href = url
    link.download = name
    link.click()
    URL.revokeObjectURL(url)
  }
  return (
    <button type="button" onClick={save}>
      {children}
    </button>
  )
}
