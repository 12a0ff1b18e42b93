/** The place of an event in the life of its case; rises strictly in the order of recording, with gaps. */
export interface Position {
  readonly caseVersion: number
  readonly eventSequence: number
}

/** Negative when `a` comes before `b`: by caseVersion, then eventSequence (interface, Position). */
export function comparePositions(a: Position, b: Position): number {
  return a.caseVersion - b.caseVersion || a.eventSequence - b.eventSequence
}
