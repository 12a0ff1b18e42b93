import { printable } from '../verify/printable.ts'

/** Attributes that are set here; none of them can run a script or load anything. */
interface Attributes {
  readonly class?: string
  readonly id?: string
  readonly for?: string
  readonly role?: 'status'
  readonly type?: 'button' | 'file' | 'text'
  readonly accept?: string
  readonly autocomplete?: 'off'
  readonly spellcheck?: 'false'
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

/** A field with its label, its hint and a note on what it was given. */
export interface Field {
  readonly field: HTMLElement
  readonly input: HTMLInputElement
  note(text: string): void
}

/** What is said of a field. */
interface FieldWords {
  readonly label: string
  readonly hint: string
}

let fields = 0

/** A field that takes files. */
export function fileFieldOf({
  accept,
  multiple,
  ...words
}: FieldWords & { readonly accept: string; readonly multiple: boolean }): Field {
  const made = fieldOf(words, { type: 'file', accept })
  made.input.multiple = multiple
  return made
}

/** A field that takes a line of text which nobody writes by heart. */
export function textFieldOf(words: FieldWords): Field {
  return fieldOf(words, { type: 'text', autocomplete: 'off', spellcheck: 'false' })
}

function fieldOf({ label, hint }: FieldWords, attributes: Attributes): Field {
  const id = `field-${++fields}`
  const described = `${id}-hint ${id}-note`
  const input = element('input', { id, ...attributes, 'aria-describedby': described })
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
