import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { takesFocus } from './place';

interface HeadingProps {
  level: 'h1' | 'h2';
  id?: string;
  /** What it stands over; another one takes the focus as a new heading does. */
  of?: string;
  children: ComponentChildren;
}

/** The heading of a view: who came to the view goes on from here by the keyboard, and a screen reader says it. */
export function Heading({ level: Level, id, of, children }: HeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    if (takesFocus()) heading.current?.focus();
  }, [of]);
  return (
    <Level ref={heading} id={id} tabIndex={-1}>
      {children}
    </Level>
  );
}
