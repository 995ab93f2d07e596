/**
 * One read for all that ask while it is under way, where it was asked for no longer ago than each of them allows: lost answers
 * of one moment are looked at in the same moments, and a service that is slow would be asked by each of them.
 */
export function shareReads<T>(read: () => Promise<T>, now: () => number): (maxAgeMs: number) => Promise<T> {
  let underWay: { askedMs: number; answer: Promise<T> } | undefined;
  return (maxAgeMs) => {
    if (underWay !== undefined && now() - underWay.askedMs <= maxAgeMs) return underWay.answer;
    const answer = read().finally(() => {
      if (underWay?.answer === answer) underWay = undefined;
    });
    underWay = { askedMs: now(), answer };
    return answer;
  };
}
