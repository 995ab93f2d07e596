/** What renders: each family has its own render times and its own instant of charging. */
export const FAMILIES = [
  'svc/image',
  'svc/edit',
  'svc/clip',
  'svc/animation',
  'vendor-a',
  'vendor-b',
  'vendor-c',
  'vendor-g',
  'vendor-d',
  'vendor-e',
  'vendor-f',
  'vendor-f/interaction',
] as const;
export type Family = (typeof FAMILIES)[number];

/** One value per family, made by a function. */
export function perFamily<Value>(make: (family: Family) => Value): Record<Family, Value> {
  return Object.fromEntries(FAMILIES.map((family) => [family, make(family)])) as Record<Family, Value>;
}
