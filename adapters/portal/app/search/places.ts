/** Something to go to. */
export interface Place {
  readonly name: string
  /** Without the prefix of the sandbox. */
  readonly path: string
}

/** What an id is of, by its beginning, and its page. */
const ofIds: readonly (readonly [prefix: string, kind: string, folder: string])[] = [
  ['rc_', 'Case', '/cases/'],
  ['wh_', 'Webhook', '/webhooks/'],
  ['evt_', 'Event', '/events/'],
  ['app_', 'Application', '/applications/'],
  ['ch_', 'Chat channel', '/channels/'],
  ['rule_', 'Alert rule', '/alerts/'],
]

/** The pages and things that a text names; without a text the pages. `pages`: those that the member sees. */
export function placesFor(
  text: string,
  pages: readonly { readonly path: string; readonly label?: string }[],
): readonly Place[] {
  const asked = text.trim()
  const words = asked.toLowerCase()
  const named = pages.flatMap(({ label, path }) =>
    label?.toLowerCase().includes(words) ? [{ name: label, path }] : [],
  )
  const id = encodeURIComponent(asked)
  const known = ofIds.find(([prefix]) => asked.startsWith(prefix) && asked.length > prefix.length)
  if (known) {
    const [, kind, folder] = known
    return [...named, { name: `${kind} ${asked}`, path: folder + id }]
  }
  // An application chooses the ids of its sessions: any word may be one.
  return mayBeSession(asked)
    ? [...named, { name: `Session ${asked}`, path: `/evidence/sessions/${id}` }]
    : named
}

/** Whether a text could be the id of a session. */
export const mayBeSession = (text: string): boolean =>
  /^\S{3,200}$/.test(text.trim()) && !ofIds.some(([prefix]) => text.trim().startsWith(prefix))
