import { readFileSync } from 'node:fs'

/** File descriptors for the database, deliveries and whatever else is no connection of an API. */
const reserved = 512
/** However few files a process may open, an API takes some connections. */
const least = 16

/** Connections of operators, on the staff listener. */
export const staffConnections = 64

/** Connections that one API listener takes: as many as was asked, as far as descriptors last for both and the rest. */
export function apiConnections(asked: number, openFiles: number | null): number {
  if (openFiles === null) return asked
  return Math.min(asked, Math.max(least, Math.floor((openFiles - reserved) / 2)))
}

/** How many files this process may open; null where the system doesn't tell. */
export function openFileLimit(): number | null {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))
    return found ? Number(found[1]) : null
  } catch {
    return null
  }
}
