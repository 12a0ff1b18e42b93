import { printable } from '../verify/printable.ts'

/** Attributes that are set here; none of them can run a script or load anything. */
interface Attributes {
  readonly class?: string
  readonly id?: string
  readonly for?: string
  readonly role?: 'status'
  readonly type?: 'button' | 'file'
  readonly accept?: string
  readonly 'aria-describedby'?: string
  readonly 'aria-labelledby'?: string
}

/** An element; texts become text nodes, never markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly (string | Node)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value))
  made.append(...children)
  return made
}

/**
 * Text of a file that is not trusted: set apart from the direction of what stands around it. Controls, directional
 * marks and what else prints nothing are shown by their number.
 */
export function foreign(text: string): HTMLElement {
  return element('bdi', {}, printable(text))
}

/** A field that takes files, with its label, its hint and a note on what was chosen. */
export interface FileField {
  readonly field: HTMLElement
  readonly input: HTMLInputElement
  note(text: string): void
}

let fields = 0

export function fieldOf({
  label,
  hint,
  accept,
  multiple,
}: {
  readonly label: string
  readonly hint: string
  readonly accept: string
  readonly multiple: boolean
}): FileField {
  const id = `file-${++fields}`
  const input = element('input', {
    id,
    type: 'file',
    accept,
    'aria-describedby': `${id}-hint ${id}-note`,
  })
  input.multiple = multiple
  const note = element('p', { class: 'note', id: `${id}-note`, role: 'status' })
  const field = element(
    'div',
    { class: 'field' },
    element('label', { for: id }, label),
    element('p', { class: 'hint', id: `${id}-hint` }, hint),
    input,
    note,
  )
  return {
    field,
    input,
    note: (text) => {
      note.textContent = printable(text)
    },
  }
}
