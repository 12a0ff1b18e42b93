import type { Committed } from '../truth.ts'

const fromUtf8 = new TextDecoder('utf-8', { fatal: true })

export function textOf(bytes: Uint8Array): string {
  return fromUtf8.decode(bytes)
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}

/** What the audit entries of a commit say was done. */
export function actionsOf({ set }: Pick<Committed, 'set'>): readonly string[] {
  return (set.appends ?? []).map(({ entry }) => {
    const { action } = JSON.parse(textOf(entry)) as { readonly action: string }
    return action
  })
}
