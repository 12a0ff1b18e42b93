import { isNameOf } from '../file-name.ts'
import { isSame } from './compare.ts'
import { type Json, objectAt, textAt } from './read.ts'

/** Folder of an application in a pack, and that of a session in it. */
const folders = /^applications\/([^/]+)\/(?:sessions\/([^/]+)\/)?[^/]+$/

/** The application in whose folder a member of a pack lies; null for one of none. */
export function applicationOf(path: string): string | null {
  return folders.exec(path)?.[1] ?? null
}

/**
 * Whether a document, case or batch is of the organization of a pack and of the application and session in whose folder it
 * lies.
 */
export function isAtHome(value: Json, path: string, tenantId: unknown): boolean {
  const [, applicationId, folder] = folders.exec(path) ?? []
  const session = objectAt(value, 'session')
  const named = session ? objectAt(value, 'application')?.applicationId : value.applicationId
  const owners = session ? [named, session.applicationId] : [named]
  if (!isSame(value.tenantId, tenantId) || owners.some((each) => each !== applicationId))
    return false
  const sessionId = session && textAt(session, 'sessionId')
  return !session || (sessionId !== null && isNameOf(sessionId, folder ?? ''))
}
